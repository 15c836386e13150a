// JPEG and PNG files in memory, decoded to pixels. Pure.
#ifndef PODSIM_HOST_INPUT_IMAGE_FILE_H_
#define PODSIM_HOST_INPUT_IMAGE_FILE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

// Row by row, channels of a pixel together.
struct Pixels {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t channels = 0;
  std::vector<std::uint8_t> values;  // its memory is used again
  std::string warning;  // what libjpeg found wrong and read past; empty: none
};

// An image that would have more is refused before memory is taken.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 25;

// By libjpeg-turbo (the accurate inverse DCT) or libpng, by the file's first
// bytes. `channels`: 3 for red, green, blue; 1 for brightness. Samples are as
// they are stored: no gamma or profile is applied, alpha is left out, and of 16
// bits the upper 8 count.
// A JPEG file with damage that libjpeg reads past (a bad Huffman code) is read,
// with a warning, as TensorFlow and Pillow read it; one that is cut short is
// refused, as they refuse it.
// Errors: DATA_LOSS (neither format, damaged or cut short, too many pixels).
absl::Status DecodeImage(std::string_view file, std::int32_t channels,
                         Pixels& pixels);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_IMAGE_FILE_H_
