// tf.train.Example as it is on the wire: by name a list of bytes, of floats or
// of integers. Nothing is copied and nothing allocated: values are views of the
// record. Pure.
//
//   Example    { Features features = 1; }
//   Features   { map<string, Feature> feature = 1; }
//   Feature    { BytesList = 1 | FloatList = 2 | Int64List = 3 }
//   BytesList  { repeated bytes value = 1; }
//   FloatList  { repeated float value = 1 [packed]; }
//   Int64List  { repeated int64 value = 1 [packed]; }
// (https://www.tensorflow.org/tutorials/load_data/tfrecord; the wire format:
// https://protobuf.dev/programming-guides/encoding). Writers may pack numbers
// or not; of a name that comes twice the last counts, as of a list in the
// oneof.
#ifndef PODSIM_HOST_INPUT_TF_EXAMPLE_H_
#define PODSIM_HOST_INPUT_TF_EXAMPLE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace podsim {

enum class FeatureKind : std::uint8_t { kAbsent, kBytes, kFloats, kInts };

// A feature of an example: a view of the bytes of its list message.
struct FeatureView {
  FeatureKind kind = FeatureKind::kAbsent;
  std::string_view list;
};

// Finds the features that are called `names[i]` and writes them to `found[i]`;
// kAbsent where the example has none. REQUIRES: as many of both.
// Errors: DATA_LOSS (bytes that are no tf.train.Example: where in the record).
absl::Status FindFeatures(std::string_view record,
                          absl::Span<const std::string> names,
                          absl::Span<FeatureView> found);

// Calls `take` for each feature of an example, in their order.
// Errors: those of FindFeatures.
absl::Status ForEachFeature(
    std::string_view record,
    const std::function<void(std::string_view name,
                             const FeatureView& feature)>& take);

// Values of a list, at most `room` of which are written; returns how many the
// list has. Errors: DATA_LOSS (no such list).
absl::StatusOr<std::int64_t> ReadFloats(std::string_view list,
                                        absl::Span<float> room);
absl::StatusOr<std::int64_t> ReadInts(std::string_view list,
                                      absl::Span<std::int64_t> room);
absl::StatusOr<std::int64_t> ReadBytes(std::string_view list,
                                       absl::Span<std::string_view> room);

// Writes an example's features, for whoever makes records.
class ExampleWriter {
 public:
  void AddBytes(std::string_view name, std::string_view value);
  void AddFloats(std::string_view name, absl::Span<const float> values);
  void AddInts(std::string_view name, absl::Span<const std::int64_t> values);
  // The example with all that was added. Ends it; call once.
  std::string Finish() &&;

 private:
  void Add(std::string_view name, int field, std::string_view list);
  std::string features_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_TF_EXAMPLE_H_
