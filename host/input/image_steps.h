// What becomes of an image's pixels on the way to a model's input: which part
// of it, at which size, mirrored or not, scaled. Pure: what is random is drawn
// from the example's key. All is float32, one operation after the other, so
// that every machine makes the same bits.
#ifndef PODSIM_HOST_INPUT_IMAGE_STEPS_H_
#define PODSIM_HOST_INPUT_IMAGE_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/input/image_file.h"
#include "host/input/schema.h"

namespace podsim {

// The part of an image that becomes the input, in its pixels; it may reach
// beyond the edges by `pad`, where all is black.
struct ImagePart {
  std::int32_t row = 0;
  std::int32_t column = 0;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  bool mirrored = false;
};

// crop: an area of 8 to 100 % and a ratio of sides of 3:4 to 4:3, as Szegedy et
// al., "Going deeper with convolutions", CVPR 2015 (section 6) crop; where ten
// draws do not fit, the middle.
ImagePart ChoosePart(const Pixels& pixels, const SchemaField& field,
                     bool training, std::uint64_t key);

// Writes the part in the field's size, by bilinear interpolation between
// centres of pixels, in its dtype. REQUIRES: as many channels as the field, the
// row its bytes.
void RunImageSteps(const Pixels& pixels, const SchemaField& field,
                   bool training, std::uint64_t key, std::span<std::byte> row);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_IMAGE_STEPS_H_
