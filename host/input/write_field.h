// From a feature as a record has it to the values of a model's input. Pure.
#ifndef PODSIM_HOST_INPUT_WRITE_FIELD_H_
#define PODSIM_HOST_INPUT_WRITE_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "host/input/input_times.h"
#include "host/input/schema.h"
#include "host/input/tf_example.h"

namespace podsim {

// A feature of any format's record.
struct RawFeature {
  enum class Kind : std::uint8_t {
    kExample,  // of a tf.train.Example
    kRaw,      // little endian values of the schema's type
    kText,     // numbers as text, parted by commas
    kNumber,
  };
  Kind kind = Kind::kExample;
  FeatureView example;
  std::string_view bytes;  // kRaw, kText
  std::int64_t number = 0;
  std::int64_t column = -1;  // kText: of its first cell, from 0; -1: not told
};

// That labels may have, as --classes is bounded.
inline constexpr std::int32_t kMostClasses = 1 << 20;
// What the error of a label beyond its classes goes on with, and how many they
// would have to be.
inline constexpr char kMoreClasses[] = ": give --classes=";
// And that of one below 0.
inline constexpr char kNumberClasses[] = ": write the classes as 0, 1, ...";

// What a value depends on beside the record.
struct WriteContext {
  std::int32_t classes = 1;     // above 1: "labels" must lie in [0, classes)
  bool training = false;        // steps of an image draw at random
  std::uint64_t key = 0;        // from here
  InputTimes* times = nullptr;  // null: not measured
  // Set where an image was read past damage (Pixels::warning); null: not told.
  std::string* warning = nullptr;
};

// Of a cell of kText: without white space around it and quotes around that.
absl::string_view WithoutQuotes(absl::string_view cell);

// Writes `feature` to `row`, which has the field's elements in its dtype().
// Errors: DATA_LOSS (absent, another number of values or bytes, out of the
//   type's range, no number, no image), naming the key.
absl::Status WriteField(const SchemaField& field, const RawFeature& feature,
                        const WriteContext& context, std::span<std::byte> row);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_WRITE_FIELD_H_
