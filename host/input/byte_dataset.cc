#include "host/input/byte_dataset.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

// The field of the bytes themselves, if there is one.
constexpr std::size_t kTokens = 2;

class ByteDataset final : public Dataset {
 public:
  ByteDataset(DatasetConfig config, float full_scale, ByteSplit train,
              ByteSplit eval)
      : config_(std::move(config)),
        train_(std::move(train)),
        eval_(std::move(eval)),
        scale_(1 / full_scale) {
    for (const std::int32_t side : config_.example_shape()) features_ *= side;
    for (const Split split : {Split::kTrain, Split::kEval}) {
      const ByteSplit& data = Of(split);
      PODSIM_CHECK(data.bytes.size() - data.begin == size(split) * features_);
      PODSIM_CHECK(data.labels.size() - data.labels_begin == size(split));
    }
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
    const ByteSplit& data = Of(split);
    const auto* from = reinterpret_cast<const unsigned char*>(
        data.bytes.data() + data.begin + index * features_);
    const float scale = scale_;  // or it would be read again for each feature
    // One product per byte: no order of additions, so vector width and compiler
    // change no bits.
    for (std::size_t f = 0; f < features.size(); ++f)
      features[f] = static_cast<float>(from[f]) * scale;
    RowValues<std::int32_t>(rows[1])[0] = static_cast<unsigned char>(
        data.labels[data.labels_begin + static_cast<std::size_t>(index)]);
    if (rows.size() > kTokens)
      std::copy_n(from, features.size(),
                  RowValues<std::int32_t>(rows[kTokens]).begin());
    return absl::OkStatus();
  }

 private:
  const ByteSplit& Of(Split split) const {
    return split == Split::kTrain ? train_ : eval_;
  }

  const DatasetConfig config_;
  const ByteSplit train_;
  const ByteSplit eval_;
  const float scale_;
  std::int64_t features_ = 1;
};

}  // namespace

std::shared_ptr<const Dataset> NewByteDataset(DatasetConfig config,
                                              float full_scale, ByteSplit train,
                                              ByteSplit eval) {
  return std::make_shared<ByteDataset>(std::move(config), full_scale,
                                       std::move(train), std::move(eval));
}

}  // namespace podsim
