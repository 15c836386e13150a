#include "host/input/image_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
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

float Mix(float a, float b, float to_b) { return a + (b - a) * to_b; }

// Rows of an image, interpolated between its columns: all channels of an
// output's pixel together, black beyond the edges. The two that were asked for
// last are kept, for the next output's row is often between the same.
class RowsAcross {
 public:
  RowsAcross(const Pixels& pixels, const std::vector<Tap>& columns)
      : pixels_(pixels),
        channels_(static_cast<std::size_t>(pixels.channels)),
        // A black pixel after the last.
        source_((static_cast<std::size_t>(pixels.columns) + 1) * channels_) {
    const auto place = [&](std::int32_t column) {
      const bool inside = column >= 0 && column < pixels.columns;
      return static_cast<std::size_t>(inside ? column : pixels.columns) *
             channels_;
    };
    for (const Tap& tap : columns)
      for (std::size_t c = 0; c < channels_; ++c) {
        first_.push_back(place(tap.first) + c);
        second_.push_back(place(tap.second) + c);
        to_second_.push_back(tap.to_second);
      }
    for (Kept& kept : kept_) kept.values.resize(first_.size());
  }

  // Valid until the next but one of another row is asked for.
  const std::vector<float>& Row(std::int32_t row) {
    if (kept_[newest_].row != row) newest_ = 1 - newest_;
    if (kept_[newest_].row != row) Make(row, kept_[newest_]);
    return kept_[newest_].values;
  }

 private:
  struct Kept {
    std::int32_t row = std::numeric_limits<std::int32_t>::min();
    std::vector<float> values;
  };

  void Make(std::int32_t row, Kept& kept) {
    kept.row = row;
    if (row < 0 || row >= pixels_.rows) {
      std::fill(kept.values.begin(), kept.values.end(), 0.0F);
      return;
    }
    const std::size_t width = source_.size() - channels_;
    const std::uint8_t* const from =
        pixels_.values.data() + static_cast<std::size_t>(row) * width;
    std::copy(from, from + width, source_.begin());
    for (std::size_t i = 0; i < kept.values.size(); ++i)
      kept.values[i] =
          Mix(source_[first_[i]], source_[second_[i]], to_second_[i]);
  }

  const Pixels& pixels_;
  const std::size_t channels_;
  std::vector<float> source_;  // a row of the image
  // By value of an output's row.
  std::vector<std::size_t> first_;
  std::vector<std::size_t> second_;
  std::vector<float> to_second_;
  std::array<Kept, 2> kept_;
  std::size_t newest_ = 0;
};

// What becomes of a value between pixels; by channel.
struct ValueSteps {
  float scale = 1;
  std::vector<float> mean;
  std::vector<float> std;
};

// As many times as a row has pixels; empty: none.
std::vector<float> Repeated(const std::vector<float>& values,
                            std::size_t pixels) {
  std::vector<float> row;
  for (std::size_t i = 0; i < pixels; ++i)
    row.insert(row.end(), values.begin(), values.end());
  return row;
}

ValueSteps StepsOfRow(const SchemaField& field, std::size_t pixels) {
  return {
      .scale = field.divisor > 0 ? 1 / static_cast<float>(field.divisor) : 1,
      .mean = Repeated(field.steps.mean, pixels),
      .std = Repeated(field.steps.std, pixels)};
}

// One operation after the other, each over the whole row.
void Apply(const ValueSteps& steps, std::span<float> row) {
  for (float& value : row) value = value * steps.scale;
  if (!steps.mean.empty())
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = row[i] - steps.mean[i];
  if (!steps.std.empty())
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i] / steps.std[i];
}

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
  RowsAcross across(pixels, columns);
  const ValueSteps steps = StepsOfRow(field, columns.size());
  std::vector<float> values(columns.size() *
                            static_cast<std::size_t>(channels));
  std::byte* out = row.data();
  for (const Tap& tap : rows) {
    // The first stays valid while the second is made.
    const std::vector<float>& first = across.Row(tap.first);
    const std::vector<float>& second =
        across.Row(tap.to_second == 0 ? tap.first : tap.second);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = Mix(first[i], second[i], tap.to_second);
    if (field.divisor == 0) {
      for (const float value : values)
        *out++ = static_cast<std::byte>(
            static_cast<std::uint8_t>(std::lround(value)));
      continue;
    }
    Apply(steps, values);
    std::memcpy(out, values.data(), values.size() * sizeof(float));
    out += values.size() * sizeof(float);
  }
}

}  // namespace podsim
