#include "host/input/synthetic_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/input/fields.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kLine[] =
    "tokens=int32[7]<50,mask=bool[9],shares=float32[2,3],"
    "pixels=uint8[5]/255,bytes=uint8[3]<256,label=int32";

DatasetRequest FieldsRequest(const std::string& line = kLine) {
  return {.name = "synthetic", .examples = 600, .seed = 1, .features = line};
}

std::shared_ptr<const Dataset> OpenFields(const DatasetRequest& request) {
  const auto store = NewMemoryStore();
  const auto dataset = OpenDataset(request, *store);
  PODSIM_CHECK(dataset.ok());
  return *dataset;
}

// An example, a row of bytes per field.
using Rows = std::vector<std::vector<std::byte>>;

Rows ReadRows(const Dataset& dataset, Split split, std::int64_t index) {
  const auto fields = FieldsOf(dataset.config());
  PODSIM_CHECK(fields.ok());
  Rows rows;
  for (const DataField& field : *fields)
    rows.emplace_back(static_cast<std::size_t>(RowBytes(field)));
  const std::vector<std::span<std::byte>> into(rows.begin(), rows.end());
  PODSIM_CHECK(dataset.Read(split, index, {}, into).ok());
  return rows;
}

template <typename T>
std::span<const T> ValuesOf(std::vector<std::byte>& row) {
  return RowValues<T>(row);
}

TEST(SyntheticFields, DescribesWhatItsLineSays) {
  const auto dataset = OpenFields(FieldsRequest());
  EXPECT_EQ(dataset->size(Split::kTrain), 600);
  EXPECT_EQ(dataset->size(Split::kEval), 100);
  EXPECT_EQ(dataset->config().features(), kLine);
  ASSERT_OK_AND_ASSIGN(const std::vector<DataField> fields,
                       FieldsOf(dataset->config()));
  std::vector<std::string> types;
  for (const DataField& field : fields)
    types.push_back(field.name + " " + ToString(field.type));
  EXPECT_THAT(types, ElementsAre("tokens int32 [B, 7]", "mask bool [B, 9]",
                                 "shares [B, 2, 3]", "pixels [B, 5]",
                                 "bytes uint8 [B, 3]", "label int32 [B]"));
}

TEST(SyntheticFields, StaysBelowItsBounds) {
  const auto dataset = OpenFields(FieldsRequest());
  std::set<std::int32_t> tokens;
  std::set<std::uint8_t> masks;
  std::set<std::uint8_t> bytes;
  std::set<std::int32_t> labels;
  std::set<float> shares;
  for (std::int64_t index = 0; index < 600; ++index) {
    Rows rows = ReadRows(*dataset, Split::kTrain, index);
    const auto of_tokens = ValuesOf<std::int32_t>(rows[0]);
    tokens.insert(of_tokens.begin(), of_tokens.end());
    const auto of_masks = ValuesOf<std::uint8_t>(rows[1]);
    masks.insert(of_masks.begin(), of_masks.end());
    const auto of_bytes = ValuesOf<std::uint8_t>(rows[4]);
    bytes.insert(of_bytes.begin(), of_bytes.end());
    labels.insert(ValuesOf<std::int32_t>(rows[5])[0]);
    for (const std::size_t field : {2U, 3U})
      for (const float value : ValuesOf<float>(rows[field])) {
        EXPECT_TRUE(value >= 0 && value < 1);
        shares.insert(value);
      }
  }
  // 4,200 draws of 50 miss one with probability 50 (1 - 1/50)^4200 < 1e-34;
  // the seed is fixed besides.
  EXPECT_EQ(tokens.size(), 50);
  EXPECT_EQ(*tokens.begin(), 0);
  EXPECT_EQ(*tokens.rbegin(), 49);
  EXPECT_EQ(masks.size(), 2);
  EXPECT_EQ(labels.size(), 2);
  EXPECT_GT(bytes.size(), 200);
  EXPECT_GT(shares.size(), 6000);
}

TEST(SyntheticFields, DependsOnSeedFieldSplitAndIndexAlone) {
  const auto one = OpenFields(FieldsRequest());
  DatasetRequest longer = FieldsRequest();
  longer.examples = 6000;
  EXPECT_EQ(ReadRows(*one, Split::kTrain, 99),
            ReadRows(*OpenFields(longer), Split::kTrain, 99));
  // Another field's length does not move it.
  EXPECT_EQ(
      ReadRows(*one, Split::kTrain, 99)[0],
      ReadRows(*OpenFields(FieldsRequest("a=int32[3],tokens=int32[7]<50")),
               Split::kTrain, 99)[1]);
  DatasetRequest other = FieldsRequest();
  other.seed = 2;
  EXPECT_NE(ReadRows(*one, Split::kTrain, 99),
            ReadRows(*OpenFields(other), Split::kTrain, 99));
  EXPECT_NE(ReadRows(*one, Split::kTrain, 99),
            ReadRows(*one, Split::kEval, 99));
  EXPECT_NE(ReadRows(*one, Split::kTrain, 99),
            ReadRows(*one, Split::kTrain, 98));
}

TEST(SyntheticFields, FingerprintCoversEveryParameter) {
  std::set<std::string> fingerprints;
  DatasetRequest examples = FieldsRequest();
  examples.examples = 601;
  DatasetRequest seed = FieldsRequest();
  seed.seed = 2;
  for (const DatasetRequest& request :
       {FieldsRequest(), examples, seed, FieldsRequest("tokens=int32[7]<51")})
    fingerprints.insert(OpenFields(request)->config().fingerprint());
  EXPECT_EQ(fingerprints.size(), 4);
}

TEST(SyntheticFields, RefusesWhatItCannotMake) {
  const auto refused = [](const char* line, const char* why) {
    EXPECT_THAT(OpenSyntheticFields(FieldsRequest(line)),
                StatusIs(kInvalid, HasSubstr(why)))
        << line;
  };
  refused("x=image[8,8,3]/255", "has no images");
  refused("x=bool<3", "bool holds no numbers up to 2");
  refused("x=uint8<257", "uint8 holds no numbers up to 256");
  refused("x=float32<2", "is of whole numbers");
  refused("x=int32<0", "no bound of 1 to");
  refused("x=int32<", "no bound of 1 to");
  DatasetRequest request = FieldsRequest();
  request.examples = -5;
  EXPECT_THAT(OpenSyntheticFields(request),
              StatusIs(kInvalid, HasSubstr("synthetic_examples is -5")));
}

}  // namespace
}  // namespace podsim
