// PNG files made by hand: the samples that are stored are those that come.
#include "host/input/image_file.h"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::StatusIs;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Samples = std::vector<std::uint8_t>;

constexpr int kGray = 0;
constexpr int kColors = 2;
constexpr int kPalette = 3;
constexpr int kGrayAlpha = 4;
constexpr int kColorsAlpha = 6;

std::string TextOf(const Samples& bytes) {
  return {bytes.begin(), bytes.end()};
}

std::string BigEndian(unsigned long value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> shift);
  return bytes;
}

// Length, type, bytes and checksum (https://www.w3.org/TR/png-3, section 5.3).
std::string Chunk(const std::string& type, const std::string& bytes) {
  const std::string of = type + bytes;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(of.data()),
                         static_cast<uInt>(of.size()));
  return BigEndian(bytes.size()) + of + BigEndian(crc);
}

std::string Packed(const Samples& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  PODSIM_CHECK(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                        bytes.data(), bytes.size()) == Z_OK);
  packed.resize(size);
  return packed;
}

struct Png {
  int columns = 1;
  int rows = 1;
  std::uint8_t depth = 8;
  int colors = kGray;
  Samples lines;  // each with the number of its filter before it
  std::string chunks;
  bool interlaced = false;
};

std::string PngFile(const Png& png) {
  const Samples rest = {png.depth, static_cast<std::uint8_t>(png.colors), 0, 0,
                        static_cast<std::uint8_t>(png.interlaced ? 1 : 0)};
  return "\x89PNG\r\n\x1a\n" +
         Chunk("IHDR", BigEndian(static_cast<unsigned long>(png.columns)) +
                           BigEndian(static_cast<unsigned long>(png.rows)) +
                           TextOf(rest)) +
         png.chunks + Chunk("IDAT", Packed(png.lines)) + Chunk("IEND", "");
}

Samples Decoded(const Png& png, std::int32_t channels) {
  Pixels pixels;
  EXPECT_THAT(DecodeImage(PngFile(png), channels, pixels), IsOk());
  EXPECT_EQ(pixels.rows, png.rows);
  EXPECT_EQ(pixels.columns, png.columns);
  EXPECT_EQ(pixels.channels, channels);
  return pixels.values;
}

TEST(Png, OfSixteenBitsTheUpperEight) {
  const Png gray = {.columns = 2, .depth = 16, .lines = {0, 128, 255, 18, 0}};
  EXPECT_THAT(Decoded(gray, 1), ElementsAre(128, 18));
  EXPECT_THAT(Decoded(gray, 3), ElementsAre(128, 128, 128, 18, 18, 18));
  const Png colors = {
      .depth = 16, .colors = kColors, .lines = {0, 128, 255, 18, 0, 255, 127}};
  EXPECT_THAT(Decoded(colors, 3), ElementsAre(128, 18, 255));
  // 0.299 * 128 + 0.587 * 18 + 0.114 * 255 = 77.9.
  EXPECT_THAT(Decoded(colors, 1), ElementsAre(78));
}

TEST(Png, NoGammaIsApplied) {
  for (const unsigned long gamma : {100'000UL, 45'455UL, 220'000UL}) {
    const std::string chunk = Chunk("gAMA", BigEndian(gamma));
    EXPECT_THAT(
        Decoded(
            {.colors = kColors, .lines = {0, 100, 200, 10}, .chunks = chunk},
            3),
        ElementsAre(100, 200, 10));
    EXPECT_THAT(Decoded({.columns = 2,
                         .depth = 16,
                         .lines = {0, 100, 0, 200, 0},
                         .chunks = chunk},
                        1),
                ElementsAre(100, 200));
  }
}

TEST(Png, BrightnessIsOfTheSamples) {
  // 29.9 + 117.4 + 1.1; of one color 76.2, 149.7 and 29.1.
  EXPECT_THAT(Decoded({.columns = 6,
                       .colors = kColors,
                       .lines = {0, 100, 200, 10, 255, 0, 0, 0, 255, 0, 0, 0,
                                 255, 7, 7, 7, 255, 255, 255}},
                      1),
              ElementsAre(148, 76, 150, 29, 7, 255));
}

TEST(Png, AlphaIsLeftOut) {
  const Png colors = {.columns = 2,
                      .colors = kColorsAlpha,
                      .lines = {0, 100, 200, 10, 0, 1, 2, 3, 128}};
  EXPECT_THAT(Decoded(colors, 3), ElementsAre(100, 200, 10, 1, 2, 3));
  EXPECT_THAT(Decoded(colors, 1), ElementsAre(148, 2));
  const Png gray = {
      .columns = 2, .colors = kGrayAlpha, .lines = {0, 100, 0, 200, 128}};
  EXPECT_THAT(Decoded(gray, 1), ElementsAre(100, 200));
  EXPECT_THAT(Decoded(gray, 3), ElementsAre(100, 100, 100, 200, 200, 200));
  const Png wide = {.columns = 2,
                    .depth = 16,
                    .colors = kGrayAlpha,
                    .lines = {0, 100, 255, 0, 0, 200, 255, 128, 0}};
  EXPECT_THAT(Decoded(wide, 1), ElementsAre(100, 200));
}

TEST(Png, ATransparentColorIsOneLikeAnother) {
  const std::string palette =
      Chunk("PLTE", TextOf({10, 20, 30, 200, 100, 50})) +
      Chunk("tRNS", TextOf({0, 128}));
  const Png eight = {
      .columns = 2, .colors = kPalette, .lines = {0, 1, 0}, .chunks = palette};
  EXPECT_THAT(Decoded(eight, 3), ElementsAre(200, 100, 50, 10, 20, 30));
  // 59.8 + 58.7 + 5.7, and 2.99 + 11.74 + 3.42.
  EXPECT_THAT(Decoded(eight, 1), ElementsAre(124, 18));
  const Png two = {.columns = 2,
                   .depth = 2,
                   .colors = kPalette,
                   .lines = {0, 0x40},
                   .chunks = palette};
  EXPECT_THAT(Decoded(two, 3), ElementsAre(200, 100, 50, 10, 20, 30));
  EXPECT_THAT(Decoded({.columns = 2,
                       .lines = {0, 100, 200},
                       .chunks = Chunk("tRNS", TextOf({0, 100}))},
                      3),
              ElementsAre(100, 100, 100, 200, 200, 200));
  EXPECT_THAT(
      Decoded({.colors = kColors,
               .lines = {0, 100, 200, 10},
               .chunks = Chunk("tRNS", TextOf({0, 100, 0, 200, 0, 10}))},
              3),
      ElementsAre(100, 200, 10));
}

TEST(Png, FewBitsReachFromBlackToWhite) {
  EXPECT_THAT(Decoded({.columns = 2, .depth = 1, .lines = {0, 0x40}}, 1),
              ElementsAre(0, 255));
  EXPECT_THAT(Decoded({.columns = 4, .depth = 2, .lines = {0, 0x6c}}, 1),
              ElementsAre(85, 170, 255, 0));
  EXPECT_THAT(Decoded({.columns = 2, .depth = 4, .lines = {0, 0x6c}}, 3),
              ElementsAre(102, 102, 102, 204, 204, 204));
}

// Adam7 of 2 x 2: first its corner, then what is right of it, then the row.
TEST(Png, InterlacedRowsComeInTheirPlaces) {
  EXPECT_THAT(Decoded({.columns = 2,
                       .rows = 2,
                       .lines = {0, 1, 0, 2, 0, 3, 4},
                       .interlaced = true},
                      1),
              ElementsAre(1, 2, 3, 4));
}

TEST(DecodeImage, SaysWhatIsThereInstead) {
  Pixels pixels;
  for (const auto& [file, said] :
       {std::pair("<!DOCTYPE html><title>404</title>",
                  "it is a web page (HTML), as of a download that failed, "
                  "neither a JPEG nor a PNG file: fetch the image again, or "
                  "delete it"),
        std::pair("GIF89a",
                  "it is a GIF image, neither a JPEG nor a PNG file: "
                  "convert it, or delete it"),
        std::pair("version https://git-lfs.github.com", "git lfs pull"),
        std::pair("", "it is empty"),
        std::pair("hello", "it begins with 'hello'")})
    EXPECT_THAT(DecodeImage(file, 3, pixels),
                StatusIs(kDataLoss, HasSubstr(said)));
}

TEST(Png, DamageIsSaid) {
  const std::string whole = PngFile(
      {.columns = 2, .colors = kColors, .lines = {0, 1, 2, 3, 4, 5, 6}});
  Pixels pixels;
  ASSERT_THAT(DecodeImage(whole, 3, pixels), IsOk());
  // What ends the file is no pixel's.
  for (std::size_t size = 8; size + 12 < whole.size(); ++size)
    ASSERT_THAT(DecodeImage(std::string_view(whole).substr(0, size), 3, pixels),
                StatusIs(kDataLoss, HasSubstr("PNG: ")))
        << size;
  for (std::size_t i = 8; i + 12 < whole.size(); ++i) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    ASSERT_THAT(DecodeImage(bad, 1, pixels),
                StatusIs(kDataLoss,
                         AnyOf(HasSubstr("PNG: "), HasSubstr("an image of "))))
        << i;
  }
  EXPECT_THAT(
      DecodeImage(PngFile({.columns = 100'000, .rows = 100'000, .lines = {0}}),
                  1, pixels),
      StatusIs(kDataLoss, HasSubstr("100000 x 100000 pixels")));
}

}  // namespace
}  // namespace podsim
