#include "host/input/image_steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "base/status.h"

namespace podsim {
namespace {

// Draws of one example, each for a use of its own.
enum Draw : std::uint64_t { kFlip, kPlace, kCrops };

constexpr int kTries = 10;
constexpr float kLeastArea = 0.08F;
constexpr float kLeastRatio = 3.0F / 4;
constexpr float kMostRatio = 4.0F / 3;

// Uniform in [0, 1) and in [0, size), of a word.
float Unit(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}
std::int32_t Below(std::uint32_t word, std::int32_t size) {
  return static_cast<std::int32_t>(
      (std::uint64_t{word} * static_cast<std::uint64_t>(size)) >> 32);
}

ImagePart Middle(std::int32_t rows, std::int32_t columns, const Pixels& of) {
  return {.row = (of.rows - rows) / 2,
          .column = (of.columns - columns) / 2,
          .rows = rows,
          .columns = columns};
}

ImagePart RandomCrop(const Pixels& of, std::uint64_t key) {
  const auto area =
      static_cast<float>(of.rows) * static_cast<float>(of.columns);
  for (int i = 0; i < kTries; ++i) {
    const auto words = Philox(key, kCrops + static_cast<std::uint64_t>(i), 0);
    const float part = kLeastArea + (1 - kLeastArea) * Unit(words[0]);
    // A ratio and its inverse are as likely: uniform between 1 and 4:3, and one
    // of the two sides is the longer one.
    const float longer = 1 + (kMostRatio - 1) * Unit(words[1]);
    const float ratio = (words[1] & 1) != 0 ? longer : 1 / longer;
    const auto rows =
        static_cast<std::int32_t>(std::lround(std::sqrt(area * part / ratio)));
    const auto columns =
        static_cast<std::int32_t>(std::lround(std::sqrt(area * part * ratio)));
    if (rows < 1 || columns < 1 || rows > of.rows || columns > of.columns)
      continue;
    return {.row = Below(words[2], of.rows - rows + 1),
            .column = Below(words[3], of.columns - columns + 1),
            .rows = rows,
            .columns = columns};
  }
  return Middle(
      std::min(of.rows, static_cast<std::int32_t>(
                            static_cast<float>(of.columns) / kLeastRatio)),
      std::min(of.columns, static_cast<std::int32_t>(
                               static_cast<float>(of.rows) * kMostRatio)),
      of);
}

// Along one side: which two pixels an output lies between, and how far.
struct Tap {
  std::int32_t first = 0;
  std::int32_t second = 0;
  float to_second = 0;
};

std::vector<Tap> TapsOf(std::int32_t begin, std::int32_t from, std::int32_t to,
                        bool mirrored) {
  std::vector<Tap> taps(static_cast<std::size_t>(to));
  const float scale = static_cast<float>(from) / static_cast<float>(to);
  for (std::int32_t i = 0; i < to; ++i) {
    const float centre =
        std::clamp((static_cast<float>(i) + 0.5F) * scale - 0.5F, 0.0F,
                   static_cast<float>(from - 1));
    const auto first = static_cast<std::int32_t>(centre);
    taps[static_cast<std::size_t>(mirrored ? to - 1 - i : i)] = {
        .first = begin + first,
        .second = begin + std::min(first + 1, from - 1),
        .to_second = centre - static_cast<float>(first)};
  }
  return taps;
}

// Values of pixels, black beyond the edges.
class PixelReader {
 public:
  explicit PixelReader(const Pixels& pixels) : pixels_(pixels) {}

  float At(std::int32_t row, std::int32_t column, std::int32_t channel) const {
    if (row < 0 || column < 0 || row >= pixels_.rows ||
        column >= pixels_.columns)
      return 0;
    const std::int64_t at =
        (std::int64_t{row} * pixels_.columns + column) * pixels_.channels +
        channel;
    return pixels_.values[static_cast<std::size_t>(at)];
  }

  float Between(const Tap& row, const Tap& column, std::int32_t channel) const {
    const float top =
        Mix(At(row.first, column.first, channel),
            At(row.first, column.second, channel), column.to_second);
    if (row.to_second == 0) return top;
    const float bottom =
        Mix(At(row.second, column.first, channel),
            At(row.second, column.second, channel), column.to_second);
    return Mix(top, bottom, row.to_second);
  }

 private:
  static float Mix(float a, float b, float to_b) { return a + (b - a) * to_b; }

  const Pixels& pixels_;
};

}  // namespace

ImagePart ChoosePart(const Pixels& pixels, const SchemaField& field,
                     bool training, std::uint64_t key) {
  ImagePart part = Middle(pixels.rows, pixels.columns, pixels);
  if (field.steps.crop) {
    part = training ? RandomCrop(pixels, key)
                    : Middle(std::max(1, pixels.rows * 7 / 8),
                             std::max(1, pixels.columns * 7 / 8), pixels);
  } else if (field.steps.pad > 0 && training) {
    const std::int32_t pad = field.steps.pad;
    const auto words = Philox(key, kPlace, 0);
    part.row = Below(words[0], 2 * pad + 1) - pad;
    part.column = Below(words[1], 2 * pad + 1) - pad;
  }
  part.mirrored =
      field.steps.flip && training && (Philox(key, kFlip, 0)[0] & 1) != 0;
  return part;
}

void RunImageSteps(const Pixels& pixels, const SchemaField& field,
                   bool training, std::uint64_t key, std::span<std::byte> row) {
  const std::int32_t channels = field.shape[2];
  PODSIM_CHECK(pixels.channels == channels);
  const ImagePart part = ChoosePart(pixels, field, training, key);
  const std::vector<Tap> rows =
      TapsOf(part.row, part.rows, field.shape[0], /*mirrored=*/false);
  const std::vector<Tap> columns =
      TapsOf(part.column, part.columns, field.shape[1], part.mirrored);
  const float scale =
      field.divisor > 0 ? 1 / static_cast<float>(field.divisor) : 1;
  const PixelReader reader(pixels);
  std::size_t at = 0;
  for (const Tap& y : rows)
    for (const Tap& x : columns)
      for (std::int32_t channel = 0; channel < channels; ++channel, ++at) {
        float value = reader.Between(y, x, channel);
        if (field.divisor == 0) {
          row[at] = static_cast<std::byte>(
              static_cast<std::uint8_t>(std::lround(value)));
          continue;
        }
        value = value * scale;
        const auto c = static_cast<std::size_t>(channel);
        if (!field.steps.mean.empty()) value = value - field.steps.mean[c];
        if (!field.steps.std.empty()) value = value / field.steps.std[c];
        std::memcpy(row.data() + at * sizeof(float), &value, sizeof(float));
      }
}

}  // namespace podsim
