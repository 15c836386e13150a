#include "settings/meant_number.h"

#include <gtest/gtest.h>

namespace podsim {
namespace {

TEST(MeantNumberTest, WholeNumbersWithASuffixOrUnderscores) {
  EXPECT_EQ(WholeNumberMeant("10k"), 10'000);
  EXPECT_EQ(WholeNumberMeant("1.5K"), 1'500);
  EXPECT_EQ(WholeNumberMeant("2M"), 2'000'000);
  EXPECT_EQ(WholeNumberMeant("1_000"), 1'000);
  EXPECT_EQ(WholeNumberMeant("1000.0"), 1'000);
  // Minutes, perhaps; half a step; no number; one that a double does not hold.
  for (const char* text : {"10m", "1.5", "many", "", "k", "1,24", "1e40"})
    EXPECT_EQ(WholeNumberMeant(text), std::nullopt) << text;
}

TEST(MeantNumberTest, TimesInSeconds) {
  EXPECT_EQ(SecondsMeant("30s"), 30);
  EXPECT_EQ(SecondsMeant("5 min"), 300);
  EXPECT_EQ(SecondsMeant("1.5h"), 5'400);
  EXPECT_EQ(SecondsMeant("2 Days"), 172'800);
  EXPECT_EQ(SecondsMeant("500ms"), 0.5);
  for (const char* text : {"30", "long", "5 fortnights", "s"})
    EXPECT_EQ(SecondsMeant(text), std::nullopt) << text;
}

TEST(MeantNumberTest, PercentAsAPart) {
  EXPECT_EQ(PartMeant("10%"), 0.1);
  EXPECT_EQ(PartMeant("50 %"), 0.5);
  for (const char* text : {"10", "%", "10%%"})
    EXPECT_EQ(PartMeant(text), std::nullopt) << text;
}

TEST(MeantNumberTest, MoneyWithoutItsCurrency) {
  for (const char* text : {"$2.2", "2.2 USD", "2.2€", "EUR 2.2", "2.2EUR"})
    EXPECT_EQ(MoneyMeant(text), 2.2) << text;
  for (const char* text : {"2.2", "$", "2.2 x", "$2.2 USD", "2,2 USD", "USD"})
    EXPECT_EQ(MoneyMeant(text), std::nullopt) << text;
}

TEST(MeantNumberTest, BytesInPowersOf1024) {
  EXPECT_EQ(BytesMeant("1MB"), 1 << 20);
  EXPECT_EQ(BytesMeant("1 MiB"), 1 << 20);
  EXPECT_EQ(BytesMeant("1.5M"), 1'572'864);
  EXPECT_EQ(BytesMeant("64kb"), 65'536);
  EXPECT_EQ(BytesMeant("512B"), 512);
  EXPECT_EQ(BytesMeant("1T"), std::int64_t{1} << 40);
  for (const char* text : {"1X", "0.5", "-1M", "MB", "1MM", "1Bi"})
    EXPECT_EQ(BytesMeant(text), std::nullopt) << text;
}

}  // namespace
}  // namespace podsim
