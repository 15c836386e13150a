// pod_top's command line and what it sends to a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/topology/slice.h"
#include "runtime/top/made_chips.h"
#include "runtime/top/screen.h"
#include "runtime/top/top_flags.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TopFlagsTest, TheCommandStandsBehindTwoDashes) {
  ASSERT_OK_AND_ASSIGN(const TopFlags flags,
                       ParseTopFlags({"--tpu_info", "--host=1", "--",
                                      "tpu-info", "--rate", "2", "--", "x"}));
  EXPECT_EQ(flags.settings.host(), 1);
  EXPECT_THAT(flags.command, ElementsAre("tpu-info", "--rate", "2", "--", "x"));
  ASSERT_OK_AND_ASSIGN(const TopFlags alone, ParseTopFlags({"--tpu_info"}));
  EXPECT_THAT(alone.command, ElementsAre("tpu-info"));
  ASSERT_OK_AND_ASSIGN(const TopFlags none, ParseTopFlags({"--once"}));
  EXPECT_THAT(none.command, IsEmpty());
  EXPECT_THAT(ParseTopFlags({"--once", "--", "tpu-info"}),
              StatusIs(kInvalid, AllOf(HasSubstr("\"tpu-info\""),
                                       HasSubstr("--tpu_info"))));
}

TEST(TopFlagsTest, WhatExcludesEachOtherIsRefused) {
  EXPECT_THAT(
      ParseTopFlags({"--once", "--streaming"}),
      StatusIs(kInvalid,
               HasSubstr("once=true and streaming=true both say how often")));
  EXPECT_THAT(
      ParseTopFlags({"--model_dir=a", "--address=b:1"}),
      StatusIs(kInvalid,
               HasSubstr("address=b:1 and model_dir=a both name the job")));
  EXPECT_THAT(ParseTopFlags({"--rate=0"}),
              StatusIs(kInvalid, HasSubstr("rate")));
}

TEST(MadeChipsTest, AHostOfV3HasFourDevices) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice("v3-32"));
  ASSERT_OK_AND_ASSIGN(const MadeChips chips, ChipsOfHost(slice));
  EXPECT_THAT(chips.folders, ElementsAre("0000:00:04.0", "0000:00:05.0",
                                         "0000:00:06.0", "0000:00:07.0"));
  ASSERT_EQ(chips.entries.size(), 16u);
  EXPECT_EQ(chips.entries[12].path, "0000:00:07.0/vendor");
  EXPECT_EQ(chips.entries[12].text, "0x1ae0\n");
  EXPECT_EQ(chips.entries[13].text, "0x0027\n");
  EXPECT_EQ(chips.entries[14].path, "0000:00:07.0/subsystem_device");
  EXPECT_EQ(chips.entries[14].text, "0x004f\n");
  EXPECT_EQ(chips.entries[15].path, "0000:00:07.0/iommu_group");
  EXPECT_TRUE(chips.entries[15].link_target.ends_with("/3"));
}

TEST(MadeChipsTest, EveryGenerationThatTrainsIsKnown) {
  for (const std::string& name : TrainingSliceNames()) {
    ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(name));
    EXPECT_THAT(ChipsOfHost(slice), IsOk()) << name;
  }
  Slice own;
  own.generation = "v9";
  EXPECT_THAT(ChipsOfHost(own),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("v9")));
}

TEST(ScreenTest, LinesAreDrawnOverWhatStands) {
  EXPECT_EQ(DrawnOver("ab\ncd\n", 0, 0), "\x1b[Hab\x1b[K\ncd\x1b[K\n\x1b[J");
}

TEST(ScreenTest, WhatDoesNotFitIsCutAndCounted) {
  EXPECT_EQ(DrawnOver("abcdef\n2\n3\n4\n", 3, 5),
            "\x1b[Habc\x1b[K\n2\x1b[K\n3\x1b[K\n4\x1b[K\n\x1b[J");
  // Of five lines the last two are not seen.
  EXPECT_EQ(DrawnOver("1\n2\n3\n4\n5\n", 80, 5),
            "\x1b[H1\x1b[K\n2\x1b[K\n3\x1b[K\n"
            "and 2 lines more: --host=N\x1b[K\n\x1b[J");
}

}  // namespace
}  // namespace podsim
