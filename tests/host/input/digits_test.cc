#include "host/input/digits.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/hash.h"
#include "host/input/fields.h"
#include "host/input/gunzip.h"
#include "tests/host/input/read_example.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::ReadExample;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Csv() {
  const auto csv = Gunzip(EmbeddedDigits(), 1 << 20, "digits");
  PODSIM_CHECK(csv.ok());
  return *csv;
}

std::shared_ptr<const Dataset> OpenDigits() {
  const auto store = NewMemoryStore();
  const auto dataset = OpenDataset({.name = "digits"}, *store);
  PODSIM_CHECK(dataset.ok());
  return *dataset;
}

TEST(Digits, IsTheFileThatItsReadmeNames) {
  EXPECT_EQ(Sha256Hex(EmbeddedDigits()),
            "46abec6b12486ad9e51943373abcf22bbea1b5a51a1619b361570d8893f1464a");
}

TEST(Digits, Describes) {
  const auto dataset = OpenDigits();
  const DatasetConfig& config = dataset->config();
  EXPECT_EQ(config.name(), "digits");
  ASSERT_EQ(config.example_shape_size(), 2);
  EXPECT_EQ(config.example_shape(0), 8);
  EXPECT_EQ(config.example_shape(1), 8);
  EXPECT_EQ(config.classes(), 10);
  EXPECT_EQ(config.train_examples(), 1498);
  EXPECT_EQ(config.eval_examples(), 299);
  EXPECT_EQ(config.fingerprint(), Sha256Hex(EmbeddedDigits()));
}

TEST(Digits, OffersItsPixelsAsTokens) {
  const auto dataset = OpenDigits();
  ASSERT_OK_AND_ASSIGN(const auto fields, FieldsOf(dataset->config()));
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].name, "features");
  EXPECT_EQ(ToString(fields[0].type), "[B, 8, 8]");
  EXPECT_EQ(fields[1].name, "labels");
  EXPECT_EQ(fields[2].name, "tokens");
  EXPECT_EQ(ToString(fields[2].type), "int32 [B, 64]");
  std::vector<float> features(64);
  std::vector<std::int32_t> tokens(64, -1);
  std::int32_t label = -1;
  const std::vector<std::span<std::byte>> rows = {
      std::as_writable_bytes(std::span(features)),
      std::as_writable_bytes(std::span(&label, 1)),
      std::as_writable_bytes(std::span(tokens))};
  ASSERT_THAT(dataset->Read(Split::kTrain, 7, {}, rows), IsOk());
  for (std::size_t i = 0; i < tokens.size(); ++i)
    EXPECT_EQ(static_cast<float>(tokens[i]), 16 * features[i]) << i;
}

// Reads every line of the text again, the slow way, and looks for it where the
// hold-out rule says it is.
TEST(Digits, EverySixthImageIsHeldOut) {
  const auto dataset = OpenDigits();
  const std::string csv = Csv();
  std::int64_t seen[2] = {0, 0};
  std::size_t at = 0;
  for (int line = 0; line < 1797; ++line) {
    std::vector<int> numbers;
    for (int field = 0; field < 65; ++field) {
      numbers.push_back(std::stoi(csv.substr(at, 3)));
      at = csv.find_first_of(",\n", at) + 1;
    }
    const Split split = line % 6 == 5 ? Split::kEval : Split::kTrain;
    const std::int64_t index = seen[static_cast<int>(split)]++;
    const auto [features, label] = ReadExample(*dataset, split, index);
    ASSERT_EQ(features.size(), 64);
    ASSERT_EQ(label, numbers[64]) << line;
    for (int pixel = 0; pixel < 64; ++pixel)
      ASSERT_EQ(features[pixel], static_cast<float>(numbers[pixel]) / 16)
          << "line " << line << ", pixel " << pixel;
  }
  EXPECT_EQ(seen[0], dataset->size(Split::kTrain));
  EXPECT_EQ(seen[1], dataset->size(Split::kEval));
}

TEST(Digits, ParserNamesLineAndField) {
  const std::string csv = Csv();
  ASSERT_THAT(ParseDigits(csv), IsOk());
  struct Case {
    std::string csv;
    std::string place;
    std::string reason;
  };
  const std::size_t second_line = csv.find('\n') + 1;
  const auto with = [&](std::size_t at, std::size_t length, const char* text) {
    return std::string(csv).replace(at, length, text);
  };
  for (const Case& c :
       {Case{"", "line 1, field 1:", "ends here"},
        Case{csv.substr(0, csv.size() - 1),
             "line 1797, field 65:", "ends here"},
        Case{csv.substr(second_line), "line 1797, field 1:", "ends here"},
        Case{csv + "0", "line 1798, field 1:", "more data"},
        Case{with(second_line, 1, "17"), "line 2, field 1:", "0 to 16"},
        Case{with(second_line, 1, "99999999999"),
             "line 2, field 1:", "0 to 16"},
        Case{with(second_line, 1, "-1"), "line 2, field 1:", "not a number"},
        Case{with(second_line, 1, "00"), "line 2, field 1:", "not a number"},
        Case{with(second_line, 1, ""), "line 2, field 1:", "not a number"},
        Case{with(second_line, 1, "1.5"), "line 2, field 1:", "not a number"},
        Case{with(second_line - 1, 1, ","),
             "line 1, field 65:", "not a number"},
        Case{with(second_line - 1, 1, "\r\n"),
             "line 1, field 65:", "not a number"},
        Case{with(second_line - 2, 1, "10"), "line 1, field 65:", "0 to 9"}}) {
    EXPECT_THAT(ParseDigits(c.csv),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr(c.place), HasSubstr(c.reason))));
  }
}

TEST(OpenDataset, UnknownNameListsTheKnownOnes) {
  const auto store = NewMemoryStore();
  EXPECT_THAT(OpenDataset({.name = "cifar"}, *store),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("'cifar'"), HasSubstr("digits"),
                             HasSubstr("mnist"), HasSubstr("synthetic"))));
}

}  // namespace
}  // namespace podsim
