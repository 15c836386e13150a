// Prices of chips as text.
#include "runtime/files/chip_prices_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "interconnect/topology/hardware.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

absl::StatusOr<ChipPrices> Parsed(const std::string& text) {
  return ParseChipPrices(text, "my.txt", ShippedHardware());
}

TEST(ChipPricesFileTest, IsReadAsTextAndAsJson) {
  ASSERT_OK_AND_ASSIGN(const ChipPrices prices,
                       Parsed("# of my contract\n"
                              "currency: 'XTS'\n"
                              "chip { generation: 'v3' per_hour: 2.5 }\n"
                              "chip { generation: 'v5e' per_hour: 1.25 }\n"));
  EXPECT_EQ(prices.currency(), "XTS");
  ASSERT_EQ(prices.chip_size(), 2);
  EXPECT_EQ(prices.chip(0).generation(), "v3");
  EXPECT_EQ(prices.chip(1).per_hour(), 1.25);
  ASSERT_OK_AND_ASSIGN(const ChipPrices json,
                       Parsed(R"({"currency": "XTS", "chip": [)"
                              R"({"generation": "v3", "perHour": 2.5},)"
                              R"({"generation": "v5e", "perHour": 1.25}]})"));
  EXPECT_EQ(json.SerializeAsString(), prices.SerializeAsString());
  // In no currency.
  EXPECT_THAT(Parsed("chip { generation: 'v4' per_hour: 1 }"), testing::IsOk());
}

TEST(ChipPricesFileTest, ErrorsNameFileAndPlaceInOneLine) {
  const auto says = [](const char* begins, const char* says) {
    return StatusIs(kInvalid, AllOf(StartsWith(begins), HasSubstr(says),
                                    Not(HasSubstr("\n"))));
  };
  EXPECT_THAT(Parsed(""), says("my.txt: ", "it has no price"));
  EXPECT_THAT(Parsed("chip { generation: 'v3' }"),
              says("my.txt: chip 1: ",
                   "per_hour of v3 is missing, or 0; give a number above 0"));
  EXPECT_THAT(Parsed("chip { generation: 'v3' per_hour: -1 }"),
              says("my.txt: chip 1: ", "above 0"));
  EXPECT_THAT(Parsed("chip { generation: 'v3' per_hour: nan }"),
              says("my.txt: chip 1: ", "above 0"));
  EXPECT_THAT(Parsed("chip { generation: 'v9' per_hour: 1 }"),
              says("my.txt: chip 1: 'v9' is no generation; there are ", "v5e"));
  EXPECT_THAT(Parsed("chip { generation: 'v5litepod' per_hour: 1 }"),
              says("my.txt: chip 1: ", "is called \"v5e\""));
  EXPECT_THAT(Parsed("chip { generation: 'v3' per_hour: 1 } "
                     "chip { generation: 'v3' per_hour: 2 }"),
              says("my.txt: chip 2: ", "v3 has a price already"));
  EXPECT_THAT(Parsed("currency: 'US dollars' "
                     "chip { generation: 'v3' per_hour: 1 }"),
              says("my.txt: ", "currency is 'US dollars'"));
  EXPECT_THAT(Parsed("generation: 'v3' per_hour: 1"),
              says("my.txt:1:11: ",
                   "there is no field \"generation\"; it belongs into a block: "
                   "chip { generation: ... }"));
  EXPECT_THAT(Parsed("\nchips { per_hour: 1 }"),
              says("my.txt:2:", "a generation a line"));
}

TEST(ChipPricesFileTest, AGenerationOfOnesOwnHasAPrice) {
  Hardware hardware = ShippedHardware();
  hardware.add_generations()->set_name("mine");
  EXPECT_THAT(
      ParseChipPrices("chip { generation: 'mine' per_hour: 1 }", "x", hardware),
      testing::IsOk());
}

TEST(ChipPricesFileTest, AListIsNoFile) {
  for (const char* list : {"v3=2.2,v5e=1.2", "v3:2.2,v5e:1.2"})
    EXPECT_THAT(
        ReadChipPrices(list, ShippedHardware()),
        StatusIs(kInvalid,
                 std::string("--chip_prices is \"") + list +
                     "\", but it takes a file; write one with chip { "
                     "generation: \"v3\" per_hour: 2.2 } chip { generation: "
                     "\"v5e\" per_hour: 1.2 }, and give its path"));
  const TempDir folder;
  const std::string path = folder.path() + "/v3=2";
  std::ofstream(path) << "chip { generation: 'v3' per_hour: 2 }";
  EXPECT_THAT(ReadChipPrices(path, ShippedHardware()), testing::IsOk());
}

TEST(ChipPricesFileTest, ANumberIsNoFile) {
  EXPECT_THAT(ReadChipPrices("2.2", ShippedHardware()),
              StatusIs(kInvalid, HasSubstr("--price_per_chip_hour 2.2")));
  const TempDir folder;
  const std::string path = folder.path() + "/prices.txt";
  std::ofstream(path) << "chip { generation: 'v3' per_hour: 2 }";
  ASSERT_OK_AND_ASSIGN(const ChipPrices prices,
                       ReadChipPrices(path, ShippedHardware()));
  EXPECT_EQ(prices.chip(0).per_hour(), 2);
}

}  // namespace
}  // namespace podsim
