// Mutated job texts: each parses or gives an error with a place, and each that
// parses gives a plan or an error. The corpus is real jobs; the seed is
// printed, and PODSIM_FUZZ_SEED replays it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>

#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/text_mutator.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::Synthetic;

constexpr int kMutants = 20'000;

std::vector<std::string> Corpus() {
  return testing::TextsIn(PODSIM_JOB_CORPUS);
}

// Values that tend to sit on edges.
constexpr const char* kTokens[] = {"-1",
                                   "0",
                                   "9223372036854775807",
                                   "18446744073709551615",
                                   "1099511627776",
                                   "1e308",
                                   "nan",
                                   "inf",
                                   "''",
                                   "\"",
                                   "[",
                                   "]",
                                   "hidden: [1048576,1048576]",
                                   "example_shape: [4096,4096]",
                                   "\xff",
                                   "{",
                                   "#"};

TEST(JobFuzzTest, TheCorpusIsOfJobsThatPlan) {
  const std::vector<std::string> corpus = Corpus();
  ASSERT_GE(corpus.size(), 5);
  for (const std::string& text : corpus) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const JobSpec spec, ParseJob(text, "corpus"));
    EXPECT_THAT(PlanJob(spec, Inputs(spec.dataset() == "synthetic" ? Synthetic()
                                                                   : Digits())),
                IsOk());
  }
}

TEST(JobFuzzTest, AnyTextGivesAJobOrAnErrorWithAPlace) {
  const std::uint32_t seed = testing::FuzzSeed();
  SCOPED_TRACE(::testing::Message() << "PODSIM_FUZZ_SEED=" << seed);
  RecordProperty("seed", std::to_string(seed));
  testing::TextMutator mutator(seed, Corpus(),
                               {std::begin(kTokens), std::end(kTokens)});
  int parsed = 0;
  int planned = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutator.Next();
    const auto spec = ParseJob(text, "mutant");
    if (!spec.ok()) {
      ASSERT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
      ASSERT_EQ(spec.status().message().find("mutant:"), 0) << text;
      continue;
    }
    ++parsed;
    const auto plan = PlanJob(
        *spec, Inputs(spec->dataset() == "synthetic" ? Synthetic() : Digits()));
    if (plan.ok()) {
      ++planned;
      ASSERT_EQ(plan->train_steps() >= 1, !plan->spec().has_bench()) << text;
      ASSERT_EQ(plan->total_examples(),
                plan->train_steps() * plan->global_batch());
    } else {
      ASSERT_NE(plan.status().message(), "") << text;
    }
  }
  // The mutations reach every depth.
  EXPECT_GT(parsed, kMutants / 10);
  EXPECT_GT(planned, kMutants / 50);
  EXPECT_LT(planned, parsed);
}

}  // namespace
}  // namespace podsim
