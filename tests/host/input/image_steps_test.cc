// What is done to an image on its way: resized, cropped, moved, flipped.
#include "host/input/image_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "host/input/image_file.h"
#include "host/input/schema.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SchemaField FieldOf(const std::string& line) {
  const auto schema = ParseSchema(line);
  PODSIM_CHECK(schema.ok());
  return schema->fields[0];
}

Pixels Ramp(std::int32_t rows, std::int32_t columns) {
  Pixels pixels = {.rows = rows, .columns = columns, .channels = 1};
  for (std::int32_t i = 0; i < rows * columns; ++i)
    pixels.values.push_back(static_cast<std::uint8_t>(i % columns * 10));
  return pixels;
}

std::vector<float> Made(const Pixels& pixels, const std::string& line,
                        bool training = false, std::uint64_t key = 0) {
  const SchemaField field = FieldOf(line);
  std::vector<float> row(static_cast<std::size_t>(field.elements()));
  RunImageSteps(pixels, field, training, key,
                std::as_writable_bytes(std::span(row)));
  return row;
}

TEST(ImageSteps, SizesAreBilinearBetweenCentres) {
  // Two centres of four lie a quarter from each end of a half.
  EXPECT_THAT(Made(Ramp(1, 4), "a=image[1,2,1]/1"), ElementsAre(5, 25));
  EXPECT_THAT(Made(Ramp(1, 2), "a=image[1,4,1]/1"),
              ElementsAre(0, 2.5F, 7.5F, 10));
  EXPECT_THAT(Made(Ramp(2, 3), "a=image[2,3,1]/10"),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(Made(Ramp(1, 2), "a=image[1,2,1]/10+mean:1+std:0.5"),
              ElementsAre(-2, 0));
}

TEST(ImageSteps, FlipsHalfOfTheExamplesInTrainingAlone) {
  int flipped = 0;
  for (std::uint64_t key = 0; key < 400; ++key) {
    const auto row = Made(Ramp(1, 3), "a=image[1,3,1]/1+flip", true, key << 32);
    if (row == std::vector<float>{20, 10, 0})
      ++flipped;
    else
      EXPECT_THAT(row, ElementsAre(0, 10, 20));
    EXPECT_THAT(Made(Ramp(1, 3), "a=image[1,3,1]/1+flip", false, key << 32),
                ElementsAre(0, 10, 20));
  }
  // Binomial of 400 halves: five standard deviations of 10.
  EXPECT_NEAR(flipped, 200, 50);
}

TEST(ImageSteps, PadsMoveTheImageByUpToThem) {
  std::set<std::pair<int, int>> places;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const ImagePart part =
        ChoosePart(Ramp(8, 8), FieldOf("a=uint8[8,8,1]/1+pad2"), true, key);
    EXPECT_EQ(part.rows, 8);
    places.insert({part.row, part.column});
  }
  EXPECT_EQ(places.size(), 25);
  EXPECT_EQ(*places.begin(), std::pair(-2, -2));
  EXPECT_EQ(*places.rbegin(), std::pair(2, 2));
  // What lies beyond the edge is black.
  Pixels white = {.rows = 2, .columns = 2, .channels = 1};
  white.values.assign(4, 255);
  bool black = false;
  for (std::uint64_t key = 0; key < 50; ++key)
    for (const float value : Made(white, "a=uint8[2,2,1]/255+pad1", true, key))
      black = black || value == 0;
  EXPECT_TRUE(black);
}

TEST(ImageSteps, CropsKeepTheirAreaAndRatio) {
  const Pixels pixels = Ramp(100, 150);
  const SchemaField field = FieldOf("a=image[10,10,1]/1+crop");
  double smallest = 1;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const ImagePart part = ChoosePart(pixels, field, true, key);
    ASSERT_GE(part.row, 0);
    ASSERT_GE(part.column, 0);
    ASSERT_LE(part.row + part.rows, 100);
    ASSERT_LE(part.column + part.columns, 150);
    const double area = part.rows * part.columns / 15'000.0;
    // Sides are rounded to whole pixels, by half of one of at least 30.
    EXPECT_GT(area, 0.08 * 0.96);
    const double ratio = static_cast<double>(part.columns) / part.rows;
    EXPECT_GT(ratio, 0.75 * 0.96);
    EXPECT_LT(ratio, 4.0 / 3 * 1.04);
    smallest = std::min(smallest, area);
  }
  EXPECT_LT(smallest, 0.12);
  const ImagePart middle = ChoosePart(pixels, field, false, 1);
  EXPECT_EQ(middle.rows, 87);
  EXPECT_EQ(middle.row, 6);
}

TEST(ImageSchema, SaysWhatAnImageMayHave) {
  const auto refused = [](const char* line, const char* why) {
    EXPECT_THAT(ParseSchema(line), StatusIs(kInvalid, HasSubstr(why))) << line;
  };
  refused("a=image", "an image has the shape");
  refused("a=image[4,4]", "an image has the shape");
  refused("a=image[4,4,2]", "an image has the shape");
  refused("a=image[4,4,3]+turn", "there is no step '+turn'");
  refused("a=image[4,4,3]+pad", "pad and 1 to");
  refused("a=image[4,4,3]+crop+pad4", "exclude each other");
  refused("a=image[4,4,3]+mean:1", "say /255");
  refused("a=image[4,4,3]/255+mean:1:2", "2 numbers for 3 channels");
  refused("a=image[4,4,3]/255+std:0", "std must be above 0");
  refused("a=float32[4,4,3]+flip", "steps are for image and uint8");
  const auto schema = ParseSchema(
      "f=image/encoded:image[8,8,3]/255+crop+flip+mean:0.5+std:1:2:3");
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(schema->fields[0].key, "image/encoded");
  EXPECT_EQ(schema->fields[0].dtype(), DType::kFloat32);
  EXPECT_THAT(schema->fields[0].steps.mean, ElementsAre(0.5, 0.5, 0.5));
}

}  // namespace
}  // namespace podsim
