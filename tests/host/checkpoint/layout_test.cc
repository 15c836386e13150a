#include "host/checkpoint/layout.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(LayoutTest, NamesReadBack) {
  for (const std::int64_t step : {0L, 1L, 200L, 9'000'000'000'000'000'000L}) {
    EXPECT_EQ(ParseStep(NameOf(StepPath("/m", step))), step);
    const StampedStep stamped{step, 1785};
    EXPECT_EQ(ParseUnfinished(NameOf(UnfinishedPath("/m", step, 1785))),
              stamped);
    EXPECT_EQ(ParseSetAside(NameOf(SetAsidePath("/m", step, 1785))), stamped);
  }
  EXPECT_EQ(StepPath("/m/", 3), "/m/3");
  EXPECT_EQ(UnfinishedPath("m", 3, 4), "m/3.orbax-checkpoint-tmp-4");
  EXPECT_EQ(ParseStep("7/"), 7);
  EXPECT_EQ(NameOf("/m/200/"), "200");
  EXPECT_EQ(NameOf("200"), "200");
}

TEST(LayoutTest, OtherNamesAreNoSteps) {
  for (const char* name :
       {"", "-1", "+1", "01", "1.0", " 1", "1 ", "1x", "9223372036854775808",
        "1.orbax-checkpoint-tmp-2", "/", "best"})
    EXPECT_FALSE(ParseStep(name)) << name;
  for (const char* name :
       {"1", "1.orbax-checkpoint-tmp-", ".orbax-checkpoint-tmp-1",
        "1.orbax-checkpoint-tmp-2x", "01.orbax-checkpoint-tmp-2",
        "1.orbax-checkpoint-tmp--2", "1.set-aside-2"})
    EXPECT_FALSE(ParseUnfinished(name)) << name;
  EXPECT_FALSE(ParseSetAside("1.orbax-checkpoint-tmp-2"));
}

TEST(LayoutTest, PartNames) {
  EXPECT_EQ(PartName(1, 4), "model-00001-of-00004.safetensors");
  for (const PartNumber number :
       {PartNumber{1, 1}, {4, 4}, {99'999, 100'000}, {123'456, 654'321}})
    EXPECT_EQ(ParsePartName(PartName(number.part, number.parts)), number);
  for (const char* name :
       {"", "model-", "model-00001", "model-00000-of-00004.safetensors",
        "model-00005-of-00004.safetensors", "model-1-of-4.safetensors",
        "model-00001-of-00004.safetensors2", "model-00001-of-00004",
        "model--0001-of-00004.safetensors", "model-000001-of-00004.safetensors",
        "model-99999999999-of-99999999999.safetensors"})
    EXPECT_FALSE(ParsePartName(name)) << name;
}

}  // namespace
}  // namespace podsim
