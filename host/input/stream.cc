#include "host/input/stream.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/random.h"
#include "base/status.h"
#include "host/input/fields.h"

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
  const auto fields = FieldsOf(dataset.config());
  PODSIM_CHECK(fields.ok());
  batch.fields.resize(fields->size());
  for (std::size_t i = 0; i < fields->size(); ++i) {
    const ValueType& type = (*fields)[i].type;
    batch.fields[i].resize(
        rows *
        static_cast<std::size_t>(type.shape.elements() * SizeOf(type.dtype)));
  }
  batch.weights.resize(rows);
  batch.keys.resize(2 * rows);
}

void FillKeys(std::uint64_t key, std::int64_t first, Batch& batch) {
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const auto words = Philox(key, static_cast<std::uint64_t>(first + row), 0);
    const auto at = static_cast<std::size_t>(2 * row);
    batch.keys[at] = words[0];
    batch.keys[at + 1] = words[1];
  }
}

// Row `row` of each field, to be written.
class RowWriter {
 public:
  explicit RowWriter(Batch& batch) : batch_(batch), row_(batch.fields.size()) {}

  ExampleRows At(std::int64_t row) {
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const std::size_t bytes =
          batch_.fields[i].size() / static_cast<std::size_t>(batch_.rows);
      row_[i] = std::span(batch_.fields[i])
                    .subspan(static_cast<std::size_t>(row) * bytes, bytes);
    }
    return row_;
  }

 private:
  Batch& batch_;
  std::vector<std::span<std::byte>> row_;
};

}  // namespace

std::span<const std::byte> Batch::Rows(std::size_t field, std::int64_t first,
                                       std::int64_t count) const {
  const auto bytes = static_cast<std::int64_t>(fields[field].size()) / rows;
  return std::span(fields[field])
      .subspan(static_cast<std::size_t>(first * bytes),
               static_cast<std::size_t>(count * bytes));
}

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
  FillKeys(RandomKey(seed, "example keys"), FirstRow(place), batch);
  if (positions != nullptr) positions->clear();
  const std::int64_t size = dataset.size(Split::kTrain);
  const std::int64_t first = FirstRow(place);
  RowWriter writer(batch);
  std::int64_t row = 0;
  while (row < batch.rows) {  // one epoch's part of the batch at a time
    const std::int64_t epoch = (first + row) / size;
    const Permutation order = OrderOfEpoch(seed, size, epoch);
    const std::int64_t end = std::min(batch.rows, (epoch + 1) * size - first);
    for (; row < end; ++row) {
      const std::int64_t in_epoch = first + row - epoch * size;
      const auto index = place.in_order
                             ? in_epoch
                             : static_cast<std::int64_t>(
                                   order(static_cast<std::uint64_t>(in_epoch)));
      dataset.Read(Split::kTrain, index, writer.At(row));
      if (positions != nullptr) positions->push_back(index);
    }
  }
}

void FillEvalBatch(const Dataset& dataset, const BatchPlace& place,
                   Batch& batch) {
  Resize(dataset, place, batch);
  const std::int64_t first = FirstRow(place);
  FillKeys(RandomKey(0, "evaluation's example keys"), first, batch);
  RowWriter writer(batch);
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const bool real = first + row < dataset.size(Split::kEval);
    batch.weights[row] = real ? 1.0F : 0.0F;
    if (real) {
      dataset.Read(Split::kEval, first + row, writer.At(row));
    } else {
      for (const std::span<std::byte> field : writer.At(row))
        std::fill(field.begin(), field.end(), std::byte{0});
    }
  }
}

}  // namespace podsim
