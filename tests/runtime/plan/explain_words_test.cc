// Names where the screen is too narrow for them: 23 columns of 80.
#include "runtime/plan/explain_words.h"

#include <gtest/gtest.h>

#include "base/text_table.h"

namespace podsim {
namespace {

TEST(NameIn, OfALayersOpTheLayerAndTheLineStay) {
  const ValueName name = {"Block_1/Dense_0/dot.12", "train.py:41"};
  EXPECT_EQ(NameIn(name, kAllColumns), "Block_1/Dense_0/dot.12, train.py:41");
  EXPECT_EQ(NameIn(name, 120), "Block_1/Dense_0/dot.12, train.py:41");
  EXPECT_EQ(NameIn(name, 80), "Dense_0, train.py:41");
}

TEST(NameIn, ElseTheEndStays) {
  EXPECT_EQ(NameIn({"dot.12", "train.py:41"}, 80), "dot.12, train.py:41");
  EXPECT_EQ(NameIn({"dot.12", "a_long_file_name.py:100"}, 80),
            "...ong_file_name.py:100");
  EXPECT_EQ(NameIn({"Dense_0/dot.12", "a_long_file_name.py:100"}, 80),
            "...ong_file_name.py:100");
  EXPECT_EQ(NameIn({"layer_3/attention/query/matmul", ""}, 80),
            "...tention/query/matmul");
}

}  // namespace
}  // namespace podsim
