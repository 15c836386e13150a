// The table to the letter, and as third parties read it: columns counted from
// the right.
#include "runtime/bench/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BenchRow SampleRow() {
  BenchRow row;
  row.set_bytes(1 << 20);
  row.set_count(1 << 18);
  row.set_datatype("float");
  row.set_op("sum");
  row.set_root(-1);
  row.set_ranks(16);
  row.mutable_out_of_place()->set_seconds(1234.5e-6);
  row.mutable_in_place()->set_seconds(1230.1e-6);
  row.mutable_in_place()->set_wrong(-1);
  return row;
}

TEST(TableTest, HeaderIsThatOfNcclTests) {
  EXPECT_EQ(FormatHeader({}),
            "#\n"
            "#                                                              "
            "out-of-place                       in-place          \n"
            "#       size         count      type   redop    root     time   "
            "algbw   busbw  #wrong     time   algbw   busbw  #wrong \n"
            "#        (B)    (elements)                               (us)  "
            "(GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         \n");
}

TEST(TableTest, RowIsThatOfNcclTests) {
  EXPECT_EQ(FormatRow(SampleRow(), "all_reduce", {}, ""),
            "     1048576        262144     float     sum      -1  1234.50    "
            "0.85    1.59       0  1230.10    0.85    1.60    N/A\n");
}

TEST(TableTest, TotalsAreThoseOfNcclTests) {
  EXPECT_EQ(FormatTotals(0, 1.59321, -1),
            "# Out of bounds values : 0 OK\n"
            "# Avg bus bandwidth    : 1.59321 \n"
            "#\n");
  EXPECT_THAT(FormatTotals(3, 2, 2), HasSubstr("values : 3 FAILED\n"));
  EXPECT_THAT(FormatTotals(0, 1.8, 2), HasSubstr("bandwidth    : 1.8 OK\n"));
  EXPECT_THAT(FormatTotals(0, 1.7, 2),
              HasSubstr("bandwidth    : 1.7 FAILED\n"));
}

TEST(TableTest, PreambleNamesSizesIterationsAndRanks) {
  BenchSpec spec;
  spec.set_minbytes(8);
  spec.set_maxbytes(128 << 20);
  spec.set_stepbytes(1 << 20);
  spec.set_stepfactor(2);
  spec.set_warmup_iters(1);
  spec.set_iters(20);
  spec.set_agg_iters(1);
  spec.set_check(1);
  EXPECT_EQ(FormatConfig(spec),
            "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) "
            "warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0\n");
  spec.set_stepfactor(1);
  EXPECT_THAT(FormatConfig(spec), HasSubstr(" step: 1048576(bytes) "));
  EXPECT_EQ(FormatDevices({{.rank = 3,
                            .pid = 4242,
                            .hostname = "node",
                            .device = 1,
                            .place = "1,0",
                            .name = "TPU v3 host"}}),
            "# Using devices\n"
            "#  Rank  3 Group  0 Pid   4242 on       node device  1 [1,0] TPU "
            "v3 host\n");
}

struct Fit {
  double value;
  int width;
  const char* text;
};

TEST(FitFloatTest, DropsDecimalsToFitTheWidth) {
  for (const Fit& fit :
       {Fit{0, 6, "  0.00"}, Fit{999.994, 6, "999.99"},
        Fit{999.999, 6, "1000.0"}, Fit{9999.96, 6, " 10000"},
        Fit{123456.4, 6, "123456"}, Fit{1234567, 6, " 1e+06"},
        Fit{1234.5, 7, "1234.50"}, Fit{12345.67, 7, "12345.7"},
        Fit{123456.7, 7, " 123457"}, Fit{1234567, 7, "1234567"},
        Fit{12345678, 7, "1.2e+07"}}) {
    EXPECT_EQ(FitFloat(fit.value, fit.width), fit.text) << fit.value;
  }
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// superbenchmark and others take the last eight columns of a row.
TEST(TableTest, LastEightColumnsAreTheTwoPlacements) {
  const std::vector<std::string> words =
      Words(FormatRow(SampleRow(), "all_reduce", {}, ""));
  ASSERT_EQ(words.size(), 13u);
  EXPECT_THAT(std::vector(words.end() - 8, words.end()),
              ElementsAre("1234.50", "0.85", "1.59", "0", "1230.10", "0.85",
                          "1.60", "N/A"));
}

TEST(TableTest, ColumnsLineUpWithTheirNames) {
  BenchRow row = SampleRow();
  row.mutable_in_place()->set_wrong(17);
  for (const bool per_iteration : {false, true}) {
    const TableColumns columns = {.per_iteration = per_iteration};
    std::istringstream header(FormatHeader(columns));
    std::string line;
    for (int i = 0; i < 3; ++i) std::getline(header, line);
    const std::string text = FormatRow(row, "all_reduce", columns, "");
    EXPECT_EQ(Words(line).size() - 1, Words(text).size());
    // The last column ends where its name does; the header has a blank more.
    EXPECT_EQ(line.size(), text.size());
    std::string units;
    std::getline(header, units);
    EXPECT_EQ(units.size(), line.size());
  }
}

TEST(TableTest, SimulatedColumnsStandToTheRightOfAll) {
  const TableColumns columns = {.timestamp = true, .sim = true};
  const SimPrice sim = {.seconds = 123.4e-6, .bus = 61.9};
  const std::string row =
      FormatRow(SampleRow(), "all_reduce", columns, "2026-11-21 10:00:00", sim);
  EXPECT_THAT(row, ::testing::EndsWith("10:00:00     123.40     61.90\n"));
  std::istringstream header(FormatHeader(columns));
  std::string names;
  for (int i = 0; i < 3; ++i) std::getline(header, names);
  EXPECT_THAT(names, ::testing::EndsWith("timestamp        sim     simbw"));
  EXPECT_EQ(names.size() + 1, row.size());
  EXPECT_THAT(FormatRow(SampleRow(), "all_reduce", columns, "",
                        {.missing = "too long"}),
              ::testing::EndsWith("      N/A       N/A\n"));
}

TEST(TableTest, FurtherColumnsStandWhereNcclTestsPutThem) {
  BenchRow row = SampleRow();
  row.mutable_out_of_place()->set_min_seconds(1e-3);
  row.mutable_out_of_place()->set_max_seconds(2e-3);
  row.mutable_out_of_place()->set_p99_seconds(1.9e-3);
  row.mutable_out_of_place()->set_variation_percent(12.5);
  const TableColumns columns = {.per_iteration = true, .timestamp = true};
  const std::vector<std::string> words =
      Words(FormatRow(row, "all_reduce", columns, "2026-11-21 10:00:00"));
  ASSERT_EQ(words.size(), 13u + 8 + 2);
  EXPECT_EQ(words[8], "0");
  EXPECT_EQ(words[9], "1000.00");
  EXPECT_EQ(words[10], "2000.00");
  EXPECT_EQ(words[11], "1900.00");
  EXPECT_EQ(words[12], "12.50");
  EXPECT_EQ(words[21], "2026-11-21");
  EXPECT_THAT(FormatHeader(columns), HasSubstr("i_cv%           timestamp\n"));
}

TEST(TableTest, EveryOtherLineIsAComment) {
  for (const std::string& text : {FormatHeader({}), FormatTotals(1, 0, 1),
                                  FormatConfig({}), FormatDevices({{}, {}})}) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      ASSERT_FALSE(line.empty());
      EXPECT_EQ(line[0], '#') << line;
    }
  }
}

}  // namespace
}  // namespace podsim
