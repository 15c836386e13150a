// The file of measured ops: rows by hand, files that are refused, and what
// ships.
#include "bench/validation/op_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "tests/host/input/gzip_bytes.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim::validation {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kNames[] =
    "program\tcategory\toccurrences\tself_us\tgflops_per_second\t"
    "gib_per_second\thlo\n";
constexpr char kTwoRows[] =
    "bert\tloop fusion\t4\t2000\t500\t2\tf32[8]{0} fusion(f32[8]{0})\n"
    "nmt\tunknown\t1\t7\t0\t0\t\n";

std::string Written(const TempDir& dir, const std::string& bytes) {
  const std::string path = dir.file("ops.tsv.gz");
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(OpProfiles, ARowIsOneRunOfItsOp) {
  const TempDir dir;
  const std::string text = std::string(kNames) + kTwoRows;
  ASSERT_OK_AND_ASSIGN(const auto ops, ReadOpRows(Written(dir, Gzip(text))));
  ASSERT_EQ(ops.size(), 2u);
  // 4 runs in 2 ms: half a millisecond each, at 500 GFLOP/s and 2 GiB/s.
  EXPECT_EQ(ops[0].program, "bert");
  EXPECT_EQ(ops[0].category, "loop fusion");
  EXPECT_EQ(ops[0].occurrences, 4);
  EXPECT_DOUBLE_EQ(ops[0].seconds, 0.5e-3);
  EXPECT_DOUBLE_EQ(ops[0].all_seconds(), 2e-3);
  EXPECT_DOUBLE_EQ(ops[0].flops, 0.25e9);
  EXPECT_DOUBLE_EQ(ops[0].hbm_bytes, 1024.0 * 1024 * 1024 / 1000);
  EXPECT_EQ(ops[0].hlo, "f32[8]{0} fusion(f32[8]{0})");
  EXPECT_EQ(ops[1].hlo, "");
}

TEST(OpProfiles, AFileThatIsNotThereIsNotFound) {
  const TempDir dir;
  EXPECT_THAT(ReadOpRows(dir.file("none")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
}

TEST(OpProfiles, AFileThatIsCutShortIsRefused) {
  const TempDir dir;
  std::string packed = Gzip(std::string(kNames) + kTwoRows);
  packed.resize(packed.size() - 6);  // into its checksum
  EXPECT_THAT(ReadOpRows(Written(dir, packed)),
              StatusIs(kDataLoss, HasSubstr("cut short")));
}

struct BadOps {
  const char* rows;
  const char* says;
};

class BadOpsTest : public ::testing::TestWithParam<BadOps> {};

TEST_P(BadOpsTest, IsRefusedByItsLine) {
  const TempDir dir;
  EXPECT_THAT(ReadOpRows(Written(dir, std::string(kNames) + GetParam().rows)),
              StatusIs(kDataLoss, AllOf(HasSubstr("ops.tsv.gz"),
                                        HasSubstr(GetParam().says))));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadOpsTest,
    ::testing::Values(BadOps{"", "no rows"},
                      BadOps{"a\tb\t1\t1\t1\t1\n", "line 2: 6 columns"},
                      BadOps{"a\tb\t1\t1\t1\t1\t\na\tb\tx\t1\t1\t1\t\n",
                             "line 3: a figure is no number"},
                      BadOps{"a\tb\t0\t1\t1\t1\t\n", "must be above 0"},
                      BadOps{"a\tb\t1\tnan\t1\t1\t\n", "must be above 0"},
                      BadOps{"a\tb\t1\t1\t-1\t1\t\n", "rates 0 or more"}));

TEST(OpProfiles, AnotherFirstLineIsRefused) {
  const TempDir dir;
  EXPECT_THAT(ReadOpRows(Written(dir, kTwoRows)),
              StatusIs(kDataLoss, HasSubstr("does not name the columns")));
}

TEST(OpProfiles, SevenProgramsShip) {
  ASSERT_OK_AND_ASSIGN(const auto ops, ReadOpRows(PODSIM_V3_OPS));
  std::map<std::string, int> counts;
  for (const OpRow& op : ops) ++counts[op.program];
  EXPECT_EQ(ops.size(), 13'206u);
  EXPECT_THAT(counts, ElementsAre(Pair("bert", 1863), Pair("dlrm", 240),
                                  Pair("maskrcnn", 2573), Pair("nmt", 2361),
                                  Pair("resnet", 550), Pair("ssd", 4698),
                                  Pair("transformer", 921)));
}

// The first row of all: logits of 2,432 positions over BERT's vocabulary of
// 30,522 from 1,024 features, and a reduction of them. FLOPs are those of the
// product and at most two a logit; bytes are those of the shapes that the row
// names, float32 but for the weights. Figures have seven digits, and the
// profiler's rates are means over runs: 0.1 %.
TEST(OpProfiles, RatesGiveTheWorkOfAProduct) {
  ASSERT_OK_AND_ASSIGN(const auto ops, ReadOpRows(PODSIM_V3_OPS));
  const OpRow& op = ops.front();
  const double logits = 2432.0 * 30522;
  EXPECT_GE(op.flops, 2 * logits * 1024);
  EXPECT_LE(op.flops, 1.001 * (2 * logits * 1024 + 2 * logits));
  const double bytes = 4 * (logits + 2432) + 2 * 30522.0 * 1024 +
                       4 * (30522 + 2 * 1024 + 2 * 2432 + 2432.0 * 1024);
  EXPECT_NEAR(op.hbm_bytes / bytes, 1, 1e-3);
  EXPECT_NEAR(op.seconds, 3.685e-3, 1e-6);
}

}  // namespace
}  // namespace podsim::validation
