#include "host/input/schema.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/input/write_field.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Schema, ReadsItsLine) {
  ASSERT_OK_AND_ASSIGN(
      const Schema schema,
      ParseSchema(" features = image/raw:uint8[28, 28] / 255, labels=label:"
                  "int64,mask=bool[3]"));
  ASSERT_EQ(schema.fields.size(), 3);
  EXPECT_EQ(schema.fields[0].input, "features");
  EXPECT_EQ(schema.fields[0].key, "image/raw");
  EXPECT_EQ(schema.fields[0].type, FeatureType::kUint8);
  EXPECT_THAT(schema.fields[0].shape, ElementsAre(28, 28));
  EXPECT_EQ(schema.fields[0].divisor, 255);
  EXPECT_EQ(schema.fields[0].dtype(), DType::kFloat32);
  EXPECT_EQ(schema.fields[0].elements(), 784);
  EXPECT_EQ(schema.fields[1].key, "label");
  EXPECT_THAT(schema.fields[1].shape, IsEmpty());
  EXPECT_EQ(schema.fields[1].dtype(), DType::kInt32);
  EXPECT_EQ(schema.fields[2].key, "mask");
  EXPECT_EQ(schema.line,
            "features=image/raw:uint8[28,28]/255,labels=label:int64,mask=bool"
            "[3]");
  DatasetConfig config;
  DescribeSchema(schema, config);
  EXPECT_THAT(config.example_shape(), ElementsAre(28, 28));
  ASSERT_EQ(config.fields_size(), 3);
  EXPECT_EQ(config.fields(0).dtype(), "float32");
  EXPECT_EQ(config.fields(2).dtype(), "bool");
}

TEST(Schema, BoundsAreOfWhatIsMade) {
  ASSERT_OK_AND_ASSIGN(const Schema schema,
                       ParseSchema("a=int32[4] < 9, b=k:uint8<3/2, c=int64"));
  EXPECT_EQ(schema.fields[0].below, 9);
  EXPECT_EQ(schema.fields[1].below, 3);
  EXPECT_EQ(schema.fields[1].divisor, 2);
  EXPECT_EQ(schema.fields[2].below, 0);
  EXPECT_EQ(schema.line, "a=int32[4]<9,b=k:uint8<3/2,c=int64");
  EXPECT_THAT(ParseFileSchema("c=int64"), IsOk());
  EXPECT_THAT(ParseFileSchema(schema.line),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("<9 is of dataset=synthetic")));
}

TEST(Schema, SaysWhichItemIsWrongAndShowsOne) {
  const auto refused = [](const std::string& line, const char* why) {
    EXPECT_THAT(ParseSchema(line),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(why), HasSubstr("such as"))))
        << line;
  };
  refused("", "names no input");
  refused("a=int64,", "a comma is too many");
  refused("int64", "names no input");
  refused("a=int8", "there is no type 'int8'; there are float32, int32");
  refused("a=:int64", "names no feature");
  refused("a=int64[0]", "is no shape");
  refused("a=int64[]", "is no shape");
  refused("a=int64[4", "[ without ]");
  refused("a=uint8[100000,100000]", "is no shape");
  refused("a=float", "there is no type 'float': did you mean float32?");
  refused("a=int", "there is no type 'int': did you mean int32 or int64?");
  refused("a=float32(64)",
          "there is no type 'float32(64)': a shape stands in brackets, "
          "float32[64]; there are float32,");
  refused("a:b:float32[64]", "write INPUT= before it, as in a=b:float32[64]");
  refused("a=float32 b=int64", "a comma is missing between two items");
  refused("a=float32[64] b=int64", "a comma is missing in front of 'b=int64'");
  refused("a=uint8/0", "no /NUMBER");
  refused("a=uint8*2", "there is no type 'uint8*2'");
  refused("a=uint8[2]x", "'x' is no /NUMBER");
  refused("a=int64<x", "'<x' is no bound of 1 to 2147483648");
  refused("a=int64<0", "'<0' is no bound");
  refused("a=int64,a=int64", "filled twice");
  refused(std::string(100'000, 'a'), "too long");
}

template <typename T>
std::vector<T> Written(const std::string& line, const RawFeature& feature,
                       absl::Status* status, std::int32_t classes = 1) {
  const auto schema = ParseSchema(line);
  PODSIM_CHECK(schema.ok());
  const SchemaField& field = schema->fields[0];
  std::vector<T> row(static_cast<std::size_t>(field.elements()));
  *status = WriteField(field, feature, {.classes = classes},
                       std::as_writable_bytes(std::span(row)));
  return row;
}

RawFeature Raw(std::string_view bytes) {
  return {.kind = RawFeature::Kind::kRaw, .bytes = bytes};
}
RawFeature Text(std::string_view bytes) {
  return {.kind = RawFeature::Kind::kText, .bytes = bytes};
}
RawFeature Number(std::int64_t number) {
  return {.kind = RawFeature::Kind::kNumber, .number = number};
}

TEST(WriteField, ConvertsAsTheSchemaSays) {
  absl::Status status;
  Written<float>("a=uint8[3]/255", Raw(""), &status);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss,
                               HasSubstr("feature a: it has 0 bytes, the "
                                         "schema wants 3")));
  const std::string bytes("\x00\x01\xff", 3);
  EXPECT_THAT(Written<float>("a=uint8[3]/255", Raw(bytes), &status),
              ElementsAre(0, 1.0F / 255, 255 * (1.0F / 255)));
  EXPECT_THAT(status, IsOk());
  EXPECT_THAT(Written<std::uint8_t>("a=uint8[3]", Raw(bytes), &status),
              ElementsAre(0, 1, 255));
  // Any byte but 0 is true, and true is 1.
  EXPECT_THAT(
      Written<std::uint8_t>("a=bool[4]", Raw({"\x00\x01\x02\xff", 4}), &status),
      ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(status, IsOk());
  EXPECT_THAT(Written<std::int32_t>("a=int64", Number(-5), &status),
              ElementsAre(-5));
  EXPECT_THAT(Written<float>("a=float32", Text("1.5e2"), &status),
              ElementsAre(150));
  EXPECT_THAT(Written<std::int32_t>("a=int32", Text(" 42"), &status),
              ElementsAre(42));
  const std::string wide("\x00\x01\xff\xff", 4);
  EXPECT_THAT(Written<std::int32_t>("a=uint16[2]", Raw(wide), &status),
              ElementsAre(256, 65535));
  EXPECT_THAT(Written<float>("a=uint16[2]/65535", Raw(wide), &status),
              ElementsAre(256 * (1.0F / 65535), 65535 * (1.0F / 65535)));
  EXPECT_THAT(status, IsOk());
}

TEST(WriteField, RefusesWhatDoesNotFit) {
  absl::Status status;
  const auto refused = [&](const char* why) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(why)));
  };
  Written<std::int32_t>("a=int64", Number(std::int64_t{1} << 31), &status);
  refused("beyond the range");
  Written<std::int32_t>("a=uint16", Number(65536), &status);
  refused(
      "value 65536 is beyond the range of uint16, 0 to 65535: write "
      "values in it, or give another type");
  Written<std::uint8_t>("a=uint8", Number(256), &status);
  refused("beyond the range");
  Written<std::uint8_t>("a=uint8", Number(-1), &status);
  refused("beyond the range");
  Written<std::int32_t>("a=int64", Text("4.5"), &status);
  refused("'4.5' is no whole number");
  Written<float>("a=float32", Text(""), &status);
  refused("the cell is empty; give a decimal number");
  Written<std::int32_t>("labels=int64", Number(7), &status, 7);
  refused(
      "label 7 is not in 0 to 6: classes is 7, and labels count from 0: "
      "give --classes=8 or more, or number them so");
  Written<std::int32_t>("labels=int64", Number(-1), &status, 7);
  refused(
      "label -1 is below 0; labels are whole numbers from 0: write the classes "
      "as 0, 1, ...");
  Written<std::int32_t>("labels=int64", Text("0,1,0"), &status);
  refused("the schema wants 1: write the number of the example's class");
  Written<std::uint8_t>("a=uint8[3]", Raw("1234"), &status);
  refused("it has 4 bytes, the schema wants 3: give it a shape that fits, [4]");
  Written<std::uint8_t>("a=uint8[3]", Raw("\x89PNG\r\n"), &status);
  refused(
      "it is a PNG image: give it the type image, such as "
      "image[224,224,3]/255");
  Written<std::int32_t>("labels=int64", Number(6), &status, 7);
  EXPECT_THAT(status, IsOk());
  Written<std::int32_t>("a=int64", {}, &status);
  refused("the record has none of that name");
}

}  // namespace
}  // namespace podsim
