#include "host/checkpoint/safetensors.h"

#include <bit>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A file of this header and as many bytes of data.
std::string File(const std::string& json, std::size_t data) {
  const std::uint64_t length = json.size();
  std::string file(sizeof(length), '\0');
  std::memcpy(file.data(), &length, sizeof(length));
  return file + json + std::string(data, 'd');
}

TEST(SafetensorsTest, BytesAreWhatTheFormatSays) {
  const std::vector<float> values = {1, -2, 3.5, 0, 5, 6};
  const std::vector<float> scalar = {7};
  const std::string file = EncodeSafetensors(
      std::vector<TensorToWrite>{{"dense/kernel", {2, 3}, values},
                                 {"b", {}, scalar}},
      {{"step", "12"}});
  const std::string json =
      "{\"__metadata__\":{\"step\":\"12\"},"
      "\"dense/kernel\":{\"dtype\":\"F32\",\"shape\":[2,3],"
      "\"data_offsets\":[0,24]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[24,28]}}";
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  EXPECT_EQ(length % 8, 0);
  EXPECT_EQ(file.substr(8, json.size()), json);
  EXPECT_EQ(file.substr(8 + json.size(), length - json.size()),
            std::string(length - json.size(), ' '));
  ASSERT_EQ(file.size(), 8 + length + 28);
  EXPECT_EQ(std::memcmp(file.data() + 8 + length, values.data(), 24), 0);
  EXPECT_EQ(std::memcmp(file.data() + 8 + length + 24, scalar.data(), 4), 0);
}

TEST(SafetensorsTest, ReadsBack) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::string file = EncodeSafetensors(
      std::vector<TensorToWrite>{{"z \"quoted\" \xc3\xa9", {3, 2}, values},
                                 {"empty", {0, 4}, {}}},
      {});
  ASSERT_OK_AND_ASSIGN(const SafetensorsHeader header, ParseSafetensors(file));
  ASSERT_EQ(header.tensors.size(), 2);
  const SafetensorsEntry& tensor = header.tensors[0];
  EXPECT_EQ(tensor.name, "z \"quoted\" \xc3\xa9");
  EXPECT_EQ(tensor.dtype, "F32");
  EXPECT_THAT(tensor.shape, ElementsAre(3, 2));
  EXPECT_EQ(tensor.begin % 8, 0);
  ASSERT_EQ(tensor.end - tensor.begin, 24);
  EXPECT_EQ(std::memcmp(file.data() + tensor.begin, values.data(), 24), 0);
  EXPECT_EQ(header.tensors[1].begin, header.tensors[1].end);
}

// What other writers may do: any order in the header, every type, no padding.
TEST(SafetensorsTest, TakesOtherWritersFiles) {
  const std::string json =
      "{\"b\":{\"shape\":[2],\"data_offsets\":[4,8],\"dtype\":\"F16\"},"
      "\"a\":{\"dtype\":\"I8\",\"shape\":[2,2],\"data_offsets\":[0,4]},"
      "\"__metadata__\":{\"format\":\"pt\"}}";
  ASSERT_OK_AND_ASSIGN(const SafetensorsHeader header,
                       ParseSafetensors(File(json, 8)));
  ASSERT_EQ(header.tensors.size(), 2);
  EXPECT_EQ(header.tensors[0].name, "a");
  EXPECT_EQ(header.tensors[1].begin,
            static_cast<std::int64_t>(8 + json.size() + 4));
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_THAT(ParseSafetensors(File("{}", 0)), IsOk());
}

struct BadHeader {
  std::string json;
  std::string reason;
};

class BadHeaderTest : public ::testing::TestWithParam<BadHeader> {};

TEST_P(BadHeaderTest, IsRefusedWithTheReason) {
  EXPECT_THAT(
      ParseSafetensors(File(GetParam().json, 8)),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr(GetParam().reason)));
}

std::string Tensor(const std::string& fields) {
  return absl::StrCat("{\"w\":{", fields, "}}");
}

INSTANTIATE_TEST_SUITE_P(
    Headers, BadHeaderTest,
    ::testing::Values(
        BadHeader{"", "does not begin with {"},
        BadHeader{" {}", "does not begin with {"},
        BadHeader{"{", "no JSON at byte"}, BadHeader{"{} x", "no JSON at byte"},
        BadHeader{"{\"\xff\":1}", "no JSON at byte"},
        BadHeader{"{\"w\":1}", "a number stands where none may"},
        BadHeader{"{\"w\":null}", "null stands where none may"},
        BadHeader{"{\"w\":[]}", "a list stands where none may"},
        BadHeader{"{\"__metadata__\":{\"a\":1}}", "a number stands"},
        BadHeader{"{\"__metadata__\":{\"a\":{}}}", "an object stands"},
        BadHeader{"{}", "tensors end at data byte 0 of 8"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[2]"),
                  "w: lacks dtype, shape or data_offsets"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[2],\"offsets\":[0,8]"),
                  "w: a list stands where none may (after offsets)"},
        BadHeader{
            Tensor("\"dtype\":\"F9\",\"shape\":[2],\"data_offsets\":[0,8]"),
            "w: unknown dtype \"F9\""},
        BadHeader{
            Tensor("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]"),
            "w: data_offsets 0 and 8 are not the 12 bytes of its shape"},
        BadHeader{
            Tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]"),
            "data_offsets 8 and 0"},
        BadHeader{
            Tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8,8]"),
            "data_offsets must be two numbers"},
        BadHeader{
            Tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]"),
            "data_offsets must be two numbers"},
        BadHeader{
            Tensor("\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]"),
            "a negative number stands"},
        BadHeader{
            Tensor("\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]"),
            "a fraction stands"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[[2]],"
                         "\"data_offsets\":[0,8]"),
                  "a list stands"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],"
                         "\"data_offsets\":[0,8]"),
                  "its shape is too large"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[18446744073709551615],"
                         "\"data_offsets\":[0,8]"),
                  "number 18446744073709551615 is too large"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],"
                         "\"data_offsets\":[0,8]"),
                  "\"dtype\" comes twice"},
        BadHeader{"{\"w\":{\"dtype\":\"F32\",\"shape\":[1],"
                  "\"data_offsets\":[0,4]},"
                  "\"w\":{\"dtype\":\"F32\",\"shape\":[1],"
                  "\"data_offsets\":[4,8]}}",
                  "\"w\" comes twice"},
        BadHeader{"{\"v\":{\"dtype\":\"F32\",\"shape\":[1],"
                  "\"data_offsets\":[0,4]},"
                  "\"w\":{\"dtype\":\"F32\",\"shape\":[1],"
                  "\"data_offsets\":[0,4]}}",
                  "w begins at data byte 0, where byte 4 comes next"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[1],"
                         "\"data_offsets\":[4,8]"),
                  "w begins at data byte 4, where byte 0 comes next"},
        BadHeader{Tensor("\"dtype\":\"F32\",\"shape\":[1],"
                         "\"data_offsets\":[0,4]"),
                  "tensors end at data byte 4 of 8"}));

TEST(SafetensorsTest, RefusesLengthsBeyondTheFileOrTheFormat) {
  for (const std::string& file :
       {std::string(), std::string(7, '\0'), std::string(8, '\xff'),
        File("{}", 0).substr(0, 9)})
    EXPECT_THAT(ParseSafetensors(file).status().code(),
                absl::StatusCode::kDataLoss);
  EXPECT_THAT(
      ParseSafetensors(std::string("\x09\0\0\0\0\0\0\0{}", 10)),
      StatusIs(absl::StatusCode::kDataLoss,
               HasSubstr("it is cut short, or no safetensors file: its first "
                         "bytes say a header of 9 bytes, and it has 10")));
  std::string large = File("{}", 200'000'000);
  const std::uint64_t length = 100'000'001;
  std::memcpy(large.data(), &length, sizeof(length));
  EXPECT_THAT(ParseSafetensors(large),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("a header of 100000001 bytes")));
}

// Deep nesting must not cost memory by the level, let alone the stack.
TEST(SafetensorsTest, RefusesDeepNestingAtOnce) {
  EXPECT_THAT(
      ParseSafetensors(File("{\"a\":" + std::string(10'000'000, '['), 0)),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a list")));
}

}  // namespace
}  // namespace podsim
