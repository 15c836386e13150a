#include "host/input/synthetic.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/status.h"
#include "host/input/synthetic_fields.h"

namespace podsim {
namespace {

constexpr std::int64_t kMaxFeatures = std::int64_t{1} << 24;
constexpr std::int32_t kMaxClasses = 1 << 20;
constexpr std::int64_t kMaxExamples = std::int64_t{1} << 40;
// Places that a window may begin at; two windows give this many examples
// squared. Powers of two, so that a mask picks one.
constexpr std::uint32_t kNoisePlaces = 1 << 14;
constexpr std::uint32_t kClassPlaces = 1 << 14;
// Two class windows span [0, 0.6), two noise windows [0, 0.4).
constexpr float kClassStep = 0.3F * 0x1p-24F;
constexpr float kNoiseStep = 0.2F * 0x1p-24F;

std::vector<float> MakeTape(std::uint64_t key, std::size_t length, float step) {
  std::vector<float> tape((length + 3) / 4 * 4);
  for (std::size_t at = 0; at < tape.size(); at += 4) {
    const auto words = Philox(key, at / 4, 0);
    for (std::size_t i = 0; i < 4; ++i)
      tape[at + i] = static_cast<float>(words[i] >> 8) * step;
  }
  return tape;
}

class SyntheticDataset final : public Dataset {
 public:
  SyntheticDataset(DatasetConfig config, std::uint64_t seed)
      : config_(std::move(config)),
        class_key_(RandomKey(seed, "synthetic/class")),
        train_key_(RandomKey(seed, "synthetic/train")),
        eval_key_(RandomKey(seed, "synthetic/eval")) {
    for (const std::int32_t side : config_.example_shape()) features_ *= side;
    const auto width = static_cast<std::size_t>(features_);
    class_tape_ = MakeTape(RandomKey(seed, "synthetic/class tape"),
                           width + kClassPlaces, kClassStep);
    noise_tape_ = MakeTape(RandomKey(seed, "synthetic/noise tape"),
                           width + kNoisePlaces, kNoiseStep);
  }

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }

  absl::Status Read(Split split, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    const std::span<float> features = RowValues<float>(rows[0]);
    PODSIM_CHECK(index >= 0 && index < size(split) &&
                 static_cast<std::int64_t>(features.size()) == features_);
    const auto words = Philox(split == Split::kTrain ? train_key_ : eval_key_,
                              static_cast<std::uint64_t>(index), 0);
    const auto label = static_cast<std::uint32_t>(
        (std::uint64_t{words[0]} * config_.classes()) >> 32);
    const auto centre = Philox(class_key_, label, 0);
    const float* c0 = &class_tape_[centre[0] % kClassPlaces];
    const float* c1 = &class_tape_[centre[1] % kClassPlaces];
    const float* n0 = &noise_tape_[words[1] % kNoisePlaces];
    const float* n1 = &noise_tape_[words[2] % kNoisePlaces];
    for (std::size_t f = 0; f < features.size(); ++f)
      features[f] = (c0[f] + c1[f]) + (n0[f] + n1[f]);
    RowValues<std::int32_t>(rows[1])[0] = static_cast<std::int32_t>(label);
    return absl::OkStatus();
  }

 private:
  const DatasetConfig config_;
  const std::uint64_t class_key_;
  const std::uint64_t train_key_;
  const std::uint64_t eval_key_;
  std::int64_t features_ = 1;
  std::vector<float> class_tape_;
  std::vector<float> noise_tape_;
};

absl::Status Validate(const DatasetRequest& request) {
  const std::string shape = absl::StrJoin(request.example_shape, ",");
  std::int64_t features = request.example_shape.empty() ? 0 : 1;
  for (const std::int32_t side : request.example_shape)
    features = side < 1 || features > kMaxFeatures ? 0 : features * side;
  if (features < 1 || features > kMaxFeatures)
    return absl::InvalidArgumentError(absl::StrCat(
        "example_shape is [", shape, "]; data set synthetic needs sides of at ",
        "least 1 and at most ", kMaxFeatures,
        " values in all, as in --example_shape=28,28"));
  if (request.classes < 2 || request.classes > kMaxClasses)
    return absl::InvalidArgumentError(absl::StrCat(
        "classes is ", request.classes, "; data set synthetic needs 2 to ",
        kMaxClasses, ", as in --classes=10"));
  if (request.examples < 0 || request.examples > kMaxExamples)
    return absl::InvalidArgumentError(absl::StrCat(
        "synthetic_examples is ", request.examples, "; must be 1 to ",
        kMaxExamples, ", or 0 for ", kSyntheticDefaultExamples));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenSynthetic(
    const DatasetRequest& request) {
  if (!request.features.empty()) return OpenSyntheticFields(request);
  PODSIM_RETURN_IF_ERROR(Validate(request));
  const std::int64_t examples =
      request.examples == 0 ? kSyntheticDefaultExamples : request.examples;
  DatasetConfig config;
  config.set_name("synthetic");
  for (const std::int32_t side : request.example_shape)
    config.add_example_shape(side);
  config.set_classes(request.classes);
  config.set_train_examples(examples);
  config.set_eval_examples(std::max<std::int64_t>(1, examples / 6));
  // "1" is the generator's version: raise it when the same request gives other
  // values.
  config.set_fingerprint(Sha256Hex(absl::StrCat(
      "synthetic 1 shape ", absl::StrJoin(request.example_shape, ","),
      " classes ", request.classes, " examples ", examples, " seed ",
      request.seed)));
  return std::make_shared<SyntheticDataset>(std::move(config), request.seed);
}

}  // namespace podsim
