#include "host/input/stream.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/random.h"
#include "base/status.h"

namespace podsim {
namespace {

Permutation OrderOfEpoch(std::uint64_t seed, std::int64_t dataset_size,
                         std::int64_t epoch) {
  const auto words = Philox(RandomKey(seed, "data stream"),
                            static_cast<std::uint64_t>(epoch), 0);
  const std::uint64_t key = (std::uint64_t{words[0]} << 32) | words[1];
  return {key, static_cast<std::uint64_t>(dataset_size)};
}

std::int64_t FirstRow(const BatchPlace& place) {
  return place.consumed + place.first_core * place.batch_per_core;
}

void Resize(const Dataset& dataset, const BatchPlace& place, Batch& batch) {
  PODSIM_CHECK(place.consumed >= 0 && place.first_core >= 0 &&
               place.cores >= 1 && place.batch_per_core >= 1);
  batch.rows = place.cores * place.batch_per_core;
  const auto rows = static_cast<std::size_t>(batch.rows);
  batch.features.resize(rows * static_cast<std::size_t>(dataset.features()));
  batch.labels.resize(rows);
  batch.weights.resize(rows);
}

std::span<float> RowOf(Batch& batch, std::int64_t row, std::int64_t features) {
  return std::span(batch.features)
      .subspan(static_cast<std::size_t>(row * features),
               static_cast<std::size_t>(features));
}

}  // namespace

std::int64_t ExampleAt(std::uint64_t seed, std::int64_t dataset_size,
                       std::int64_t k) {
  PODSIM_CHECK(dataset_size >= 1 && k >= 0);
  const Permutation order = OrderOfEpoch(seed, dataset_size, k / dataset_size);
  return static_cast<std::int64_t>(
      order(static_cast<std::uint64_t>(k % dataset_size)));
}

void FillTrainBatch(const Dataset& dataset, std::uint64_t seed,
                    const BatchPlace& place, Batch& batch,
                    std::vector<std::int64_t>* positions) {
  PODSIM_CHECK(place.global_batch >= 1);
  Resize(dataset, place, batch);
  std::fill(batch.weights.begin(), batch.weights.end(),
            1.0F / static_cast<float>(place.global_batch));
  if (positions != nullptr) positions->clear();
  const std::int64_t size = dataset.size(Split::kTrain);
  const std::int64_t first = FirstRow(place);
  std::int64_t row = 0;
  while (row < batch.rows) {  // one epoch's part of the batch at a time
    const std::int64_t epoch = (first + row) / size;
    const Permutation order = OrderOfEpoch(seed, size, epoch);
    const std::int64_t end = std::min(batch.rows, (epoch + 1) * size - first);
    for (; row < end; ++row) {
      const auto index = static_cast<std::int64_t>(
          order(static_cast<std::uint64_t>(first + row - epoch * size)));
      batch.labels[row] = dataset.Read(Split::kTrain, index,
                                       RowOf(batch, row, dataset.features()));
      if (positions != nullptr) positions->push_back(index);
    }
  }
}

void FillEvalBatch(const Dataset& dataset, const BatchPlace& place,
                   Batch& batch) {
  Resize(dataset, place, batch);
  const std::int64_t first = FirstRow(place);
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const std::span<float> features = RowOf(batch, row, dataset.features());
    const bool real = first + row < dataset.size(Split::kEval);
    batch.weights[row] = real ? 1.0F : 0.0F;
    if (real) {
      batch.labels[row] = dataset.Read(Split::kEval, first + row, features);
    } else {
      batch.labels[row] = 0;
      std::fill(features.begin(), features.end(), 0.0F);
    }
  }
}

}  // namespace podsim
