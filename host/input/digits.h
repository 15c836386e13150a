// The built-in data set: 1,797 handwritten digits of 8x8 pixels, part of this
// library's bytes. Origin and licence: data/README.md. Beside "features" and
// "labels" it offers "tokens", int32 [64]: the pixels row by row, 0 to 16.
#ifndef PODSIM_HOST_INPUT_DIGITS_H_
#define PODSIM_HOST_INPUT_DIGITS_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "host/input/dataset.h"

namespace podsim {

// digits.csv.gz as it was when this library was built.
std::string_view EmbeddedDigits();

struct DigitsTable {
  std::string pixels;  // 64 bytes a row, each 0..16
  std::string labels;  // one byte a row, each 0..9
};

// Reads exactly 1,797 lines of 65 comma-separated decimal numbers without
// leading zeros, each ended by a line feed. Errors: DATA_LOSS (line, field,
// reason).
absl::StatusOr<DigitsTable> ParseDigits(std::string_view csv);

absl::StatusOr<std::shared_ptr<const Dataset>> OpenDigits();

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_DIGITS_H_
