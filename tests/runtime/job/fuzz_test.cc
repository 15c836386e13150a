// Mutated job texts: each parses or gives an error with a place, and each that
// parses gives a plan or an error. The corpus is real jobs; the seed is
// printed, and PODSIM_FUZZ_SEED replays it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::Synthetic;

constexpr int kMutants = 20'000;

std::vector<std::string> Corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(PODSIM_JOB_CORPUS))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in),
                       std::istreambuf_iterator<char>());
  }
  return texts;
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

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  int Below(std::size_t limit) {
    return static_cast<int>(random_() % std::max<std::size_t>(1, limit));
  }

  std::string Mutate(const std::vector<std::string>& corpus) {
    std::string text = corpus[Below(corpus.size())];
    for (int rounds = 1 + Below(3); rounds > 0; --rounds) {
      const int at = Below(text.size() + 1);
      const std::string rest = text.substr(at);
      const std::string& other = corpus[Below(corpus.size())];
      switch (Below(6)) {
        case 0:  // another byte
          if (!rest.empty()) text[at] = static_cast<char>(Below(256));
          break;
        case 1:  // a hole
          text.erase(at, Below(12));
          break;
        case 2:  // half of one job, half of another
          text = text.substr(0, at) + other.substr(Below(other.size()));
          break;
        case 3:
          text.insert(at, kTokens[Below(std::size(kTokens))]);
          break;
        default:
          ReplaceValue(text, at);
      }
    }
    return text;
  }

 private:
  // An edge in place of the value behind the next colon.
  void ReplaceValue(std::string& text, int at) {
    const std::size_t colon = text.find(": ", at);
    if (colon == std::string::npos) return;
    const std::size_t end = std::min(text.find('\n', colon), text.size());
    text.replace(colon + 2, end - colon - 2,
                 kTokens[Below(std::size(kTokens))]);
  }

  std::mt19937 random_;
};

std::uint32_t Seed() {
  const char* given = std::getenv("PODSIM_FUZZ_SEED");
  return given != nullptr
             ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10))
             : 20'200'716;
}

TEST(JobFuzzTest, TheCorpusIsOfJobsThatPlan) {
  const std::vector<std::string> corpus = Corpus();
  ASSERT_GE(corpus.size(), 5);
  for (const std::string& text : corpus) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const JobSpec spec, ParseJob(text, "corpus"));
    EXPECT_THAT(
        MakePlan(spec, Inputs(spec.dataset() == "synthetic" ? Synthetic()
                                                            : Digits())),
        IsOk());
  }
}

TEST(JobFuzzTest, AnyTextGivesAJobOrAnErrorWithAPlace) {
  const std::uint32_t seed = Seed();
  SCOPED_TRACE(::testing::Message() << "PODSIM_FUZZ_SEED=" << seed);
  RecordProperty("seed", std::to_string(seed));
  const std::vector<std::string> corpus = Corpus();
  Mutator mutator(seed);
  int parsed = 0;
  int planned = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string text = mutator.Mutate(corpus);
    const auto spec = ParseJob(text, "mutant");
    if (!spec.ok()) {
      ASSERT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
      ASSERT_EQ(spec.status().message().find("mutant:"), 0) << text;
      continue;
    }
    ++parsed;
    const auto plan = MakePlan(
        *spec, Inputs(spec->dataset() == "synthetic" ? Synthetic() : Digits()));
    if (plan.ok()) {
      ++planned;
      ASSERT_EQ(plan->train_steps() >= 1, !plan->has_bench()) << text;
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
