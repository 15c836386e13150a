// The line that says what a data set's records hold: which inputs of the model
// are filled, from which feature of a record, of which type and shape.
//
//   features=image_raw:uint8[28,28]/255,labels=label:int64
//
//   line   : item {"," item}
//   item   : INPUT "=" [KEY ":"] TYPE ["[" side {"," side} "]"] ["<" NUMBER]
//            ["/" NUMBER] {"+" STEP}
//   TYPE   : float32 | int32 | int64 | uint32 | uint16 | uint8 | bool | image
//   STEP   : crop | pad N | flip | mean {":" NUMBER} | std {":" NUMBER}
//
// INPUT is the model's, KEY the feature's name in the records (INPUT, unless
// said). A feature is a list of numbers, or bytes that hold as many of them in
// little endian; without a shape it is one number. int64 becomes int32, which
// its values must fit, and so does uint16; /NUMBER makes float32 of any type,
// times 1 / NUMBER.
//
// <NUMBER is of synthetic data alone, which are made by it: whole numbers are
// below it, and of two, 0 and 1, without it.
//
// An image is a JPEG or PNG file, decoded and made to the size of its shape
// [rows, columns, 1 or 3] (image_steps.h); uint8 of such a shape may have steps
// too. In training crop takes a random part of 8 to 100 % of the image and of
// sides 3:4 to 4:3, padN a random place of as many pixels, with N black ones
// around the image, and flip mirrors every other one; otherwise crop takes the
// middle 7/8. mean and std are of the values after /NUMBER, for each channel or
// for all: (value - mean) / std. Pure.
#ifndef PODSIM_HOST_INPUT_SCHEMA_H_
#define PODSIM_HOST_INPUT_SCHEMA_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/shape.h"
#include "proto/job.pb.h"

namespace podsim {

enum class FeatureType : std::uint8_t {
  kFloat32,
  kInt32,
  kInt64,
  kUint32,
  kUint16,
  kUint8,
  kBool,
  kImage,
};

// What is done to an image on its way.
struct ImageSteps {
  bool crop = false;
  std::int32_t pad = 0;
  bool flip = false;
  std::vector<float> mean;  // empty, or of each channel
  std::vector<float> std;

  bool any() const {
    return crop || pad > 0 || flip || !mean.empty() || !std.empty();
  }
};

struct SchemaField {
  std::string input;
  std::string key;
  FeatureType type = FeatureType::kFloat32;
  std::vector<std::int32_t> shape;
  std::int64_t below = 0;  // 0: not said
  double divisor = 0;      // 0: values as they are
  ImageSteps steps;

  // Whether it goes by way of an image.
  bool is_image() const { return type == FeatureType::kImage || steps.any(); }
  std::int64_t elements() const;
  // Of the input's values.
  DType dtype() const;
};

struct Schema {
  std::vector<SchemaField> fields;
  // The line without blanks: equal for schemas that mean the same.
  std::string line;
};

// Errors: INVALID_ARGUMENT, naming the item, what is wrong and an example.
absl::StatusOr<Schema> ParseSchema(std::string_view line);
// The same of what is read from files. Errors: as above; an item with a bound.
absl::StatusOr<Schema> ParseFileSchema(std::string_view line);

// Adds the fields, and the shape of an input "features", to a description.
void DescribeSchema(const Schema& schema, DatasetConfig& config);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SCHEMA_H_
