#include "base/units.h"

#include <cstdint>
#include <limits>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

TEST(FormatBytes, PicksTheLargestUnitThatFits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1.00 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.50 KiB");
  EXPECT_EQ(FormatBytes(3 * kMiB / 2), "1.50 MiB");
  EXPECT_EQ(FormatBytes(16 * kGiB), "16.00 GiB");
  EXPECT_EQ(FormatBytes(2048 * kGiB), "2048.00 GiB");
}

TEST(FormatBytes, KeepsTheSign) {
  EXPECT_EQ(FormatBytes(-5), "-5 B");
  EXPECT_EQ(FormatBytes(-3 * kGiB), "-3.00 GiB");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(113'854), "113,854");
  EXPECT_EQ(FormatCount(1'234'567), "1,234,567");
  EXPECT_EQ(FormatCount(-1'234'567), "-1,234,567");
  EXPECT_EQ(FormatCount(-999), "-999");
  EXPECT_EQ(FormatCount(std::numeric_limits<std::int64_t>::max()),
            "9,223,372,036,854,775,807");
  EXPECT_EQ(FormatCount(std::numeric_limits<std::int64_t>::min()),
            "-9,223,372,036,854,775,808");
}

TEST(FormatCounted, HasASingularAndAPlural) {
  EXPECT_EQ(FormatCounted(0, "host"), "0 hosts");
  EXPECT_EQ(FormatCounted(1, "host"), "1 host");
  EXPECT_EQ(FormatCounted(1, "process"), "1 process");
  EXPECT_EQ(FormatCounted(4, "process"), "4 processes");
  EXPECT_EQ(FormatCounted(2'048, "core"), "2,048 cores");
}

TEST(FormatSimTime, SaysThatItIsSimulated) {
  EXPECT_EQ(FormatSimTime(SimTime::Seconds(1.2344)), "1.234 s sim");
  EXPECT_EQ(FormatSimTime(SimTime::Seconds(0.0123)), "12.300 ms sim");
  EXPECT_EQ(FormatSimTime(SimTime::Seconds(45.6e-6)), "45.6 us sim");
  EXPECT_EQ(FormatSimTime(SimTime()), "0.0 us sim");
}

TEST(AmountText, HasThreeDigitsOrAllOfThem) {
  EXPECT_EQ(AmountText(16.24), "16.2");
  EXPECT_EQ(AmountText(999.4), "999");
  EXPECT_EQ(AmountText(999.6), "1,000");
  EXPECT_EQ(AmountText(2050), "2,050");
}

TEST(SpanText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(SpanText(0), "0 us");
  EXPECT_EQ(SpanText(4.72e-5), "47.2 us");
  EXPECT_EQ(SpanText(0.0236), "23.6 ms");
  EXPECT_EQ(SpanText(90), "90 s");
  EXPECT_EQ(SpanText(600), "10 min");
  EXPECT_EQ(SpanText(36000), "10 h");
}

// What is rounded to a thousand is one of the next unit, and hours, which have
// none, are counted.
TEST(SpanText, HasNoExponent) {
  EXPECT_EQ(SpanText(0.9994e-3), "999 us");
  EXPECT_EQ(SpanText(0.9996e-3), "1 ms");
  EXPECT_EQ(SpanText(0.9994), "999 ms");
  EXPECT_EQ(SpanText(0.9996), "1 s");
  EXPECT_EQ(SpanText(3600 * 999.4), "999 h");
  EXPECT_EQ(SpanText(3600 * 999.6), "1,000 h");
  EXPECT_EQ(SpanText(3600 * 12'345.0), "12,345 h");
}

TEST(PercentText, HasTwoDigitsWhereItIsSmall) {
  EXPECT_EQ(PercentText(0), "0%");
  EXPECT_EQ(PercentText(0.00123), "0.12%");
  EXPECT_EQ(PercentText(0.042), "4.2%");
  EXPECT_EQ(PercentText(0.0997), "10%");
  EXPECT_EQ(PercentText(0.422), "42%");
  EXPECT_EQ(PercentText(1), "100%");
}

TEST(SimSum, HoldsMoreThanATime) {
  constexpr double kDay = 24 * 3600;
  SimSum sum = SimTime::Picoseconds(1);
  sum.Add(SimTime::Seconds(100 * kDay), 10'000);
  sum.Add(SimTime::Seconds(100 * kDay));
  EXPECT_DOUBLE_EQ(sum.seconds(), 1'000'100 * kDay);
  EXPECT_EQ((SimSum() + SimTime::Seconds(1)), SimSum(SimTime::Seconds(1)));
  EXPECT_NE(sum, SimSum());
}

TEST(SimTime, CountsPicosecondsExactly) {
  EXPECT_EQ(SimTime::Seconds(1e-12).picoseconds(), 1);
  EXPECT_EQ(SimTime::Seconds(0.25).picoseconds(), 250'000'000'000);
  EXPECT_EQ(SimTime::Picoseconds(1'500'000'000'000).seconds(), 1.5);
  SimTime sum;
  for (int i = 0; i < 10; ++i) sum += SimTime::Seconds(0.1);
  EXPECT_EQ(sum, SimTime::Seconds(1));  // ten times 0.1 as doubles is not
  EXPECT_EQ(sum - SimTime::Seconds(0.4), SimTime::Seconds(0.6));
  EXPECT_LT(SimTime::Picoseconds(1), SimTime::Picoseconds(2));
}

}  // namespace
}  // namespace podsim
