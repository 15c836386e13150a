// A data set for tests whose examples say who they are: features are
// {index, index / 2}, the label is index mod 7.
#ifndef PODSIM_TESTS_HOST_INPUT_NUMBERED_DATASET_H_
#define PODSIM_TESTS_HOST_INPUT_NUMBERED_DATASET_H_

#include <cstdint>
#include <span>

#include "base/status.h"
#include "host/input/dataset.h"

namespace podsim::testing {

class NumberedDataset final : public Dataset {
 public:
  NumberedDataset(std::int64_t train, std::int64_t eval) {
    config_.add_example_shape(2);
    config_.set_classes(7);
    config_.set_train_examples(train);
    config_.set_eval_examples(eval);
  }

  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples()
                                  : config_.eval_examples();
  }
  const DatasetConfig& config() const override { return config_; }
  absl::Status Read(Split split, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    const std::span<float> features = RowValues<float>(rows[0]);
    PODSIM_CHECK(index >= 0 && index < size(split) && features.size() == 2);
    features[0] = static_cast<float>(index);
    features[1] = static_cast<float>(index) / 2;
    RowValues<std::int32_t>(rows[1])[0] = static_cast<std::int32_t>(index % 7);
    return absl::OkStatus();
  }

 private:
  DatasetConfig config_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_NUMBERED_DATASET_H_
