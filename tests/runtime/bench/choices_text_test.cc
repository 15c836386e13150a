// A calibration's file says where it is from, and is read back.
#include "runtime/bench/choices_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "interconnect/collectives/choice_table.h"
#include "runtime/files/choices_file.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<ChoiceRow> kTable = {
    {.most_ranks = 4, .most_bytes = 3 << 19, .algorithm = Algorithm::kDirect},
    {.most_ranks = 4, .algorithm = Algorithm::kRing}};

BenchRecord Record() {
  BenchRecord record = {.arguments = {"pod_bench", "all_reduce", "--algo=all"},
                        .start_time = "2026-11-21 10:00:00",
                        .end_time = "2026-11-21 10:00:09",
                        .cpu = "a CPU",
                        .cpus = 2,
                        .hostname = "node",
                        .build = "0.1.0 abc"};
  record.plan.mutable_bits()->set_slice("v3-32");
  record.plan.mutable_bits()->set_hosts(4);
  record.plan.mutable_spec()->set_processes(2);
  return record;
}

TEST(ChoicesTextTest, SaysMachineDateCommandAndRanks) {
  EXPECT_THAT(
      ChoicesText(Record(), kTable),
      AllOf(HasSubstr("# pod_bench all_reduce --algo=all\n"),
            HasSubstr("2026-11-21 10:00:00 to 2026-11-21 10:00:09"),
            HasSubstr("0.1.0 abc"), HasSubstr("# on node: a CPU, 2 CPUs\n"),
            HasSubstr("# ranks: 4 hosts of v3-32 in 2 processes over shared "
                      "memory\n"),
            HasSubstr("more than 5% faster")));
}

TEST(ChoicesTextTest, IsReadBack) {
  BenchRecord record = Record();
  record.arguments.emplace_back("a\nchoices {");  // stays a comment
  const std::string text = ChoicesText(record, kTable);
  ASSERT_OK_AND_ASSIGN(const auto choices, ParseChoices(text, "x"));
  ASSERT_EQ(choices.size(), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(choices[i].SerializeAsString(),
              MessageOf(kTable[i]).SerializeAsString());
  }
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    EXPECT_LE(line.size(), 120u) << line;
  }
}

TEST(ChoicesTextTest, TheSummaryIsALine) {
  EXPECT_EQ(ChoicesSummary(kTable), "direct up to 1.50 MiB, ring");
}

}  // namespace
}  // namespace podsim
