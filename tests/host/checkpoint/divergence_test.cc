// Only what exists is advised.
#include "host/checkpoint/divergence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(DivergenceAdviceTest, ACheckpointIsNamedOnlyWhereThereIsOne) {
  EXPECT_EQ(DivergenceAdvice("", false),
            "lower --learning_rate or lengthen --warmup_steps");
  EXPECT_THAT(
      DivergenceAdvice("m", false),
      AllOf(HasSubstr("--learning_rate"), HasSubstr("--checkpoint_every"),
            Not(HasSubstr("--restore"))));
  EXPECT_THAT(DivergenceAdvice("m", true),
              AllOf(HasSubstr("--learning_rate"), HasSubstr("--restore=m/STEP"),
                    Not(HasSubstr("--checkpoint_every"))));
}

}  // namespace
}  // namespace podsim
