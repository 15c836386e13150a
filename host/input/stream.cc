#include "host/input/stream.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/mutex.h"
#include "base/random.h"
#include "base/status.h"
#include "host/input/fields.h"

namespace podsim {
namespace {

std::int64_t FirstRow(const BatchPlace& place) {
  return place.consumed + place.first_core * place.batch_per_core;
}

std::size_t AsIndex(std::int64_t i) { return static_cast<std::size_t>(i); }

bool GoesByLanes(const Dataset& dataset, const BatchPlace& place) {
  return !place.in_order && dataset.shards() != nullptr;
}

void FillKeys(std::uint64_t key, const BatchPlace& place, std::int64_t first,
              std::int64_t end, Batch& batch) {
  for (std::int64_t row = first; row < end; ++row) {
    const std::int64_t k = batch.by_lane.empty()
                               ? FirstRow(place) + row
                               : batch.by_lane[AsIndex(row)].k;
    const auto words = Philox(key, static_cast<std::uint64_t>(k), 0);
    const auto at = static_cast<std::size_t>(2 * row);
    batch.keys[at] = words[0];
    batch.keys[at + 1] = words[1];
  }
}

std::array<std::uint32_t, 2> StepKey(std::uint64_t key,
                                     const BatchPlace& place) {
  const auto words = Philox(key, static_cast<std::uint64_t>(place.consumed), 0);
  return {words[0], words[1]};
}

std::uint64_t KeyOf(const Batch& batch, std::int64_t row) {
  const auto at = static_cast<std::size_t>(2 * row);
  return (std::uint64_t{batch.keys[at]} << 32) | batch.keys[at + 1];
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

void ResizeBatch(const Dataset& dataset, const BatchPlace& place,
                 Batch& batch) {
  PODSIM_CHECK(place.consumed >= 0 && place.first_core >= 0 &&
               place.cores >= 1 && place.batch_per_core >= 1);
  batch.rows = place.cores * place.batch_per_core;
  const auto rows = static_cast<std::size_t>(batch.rows);
  const auto fields = FieldsOf(dataset.config());
  PODSIM_CHECK(fields.ok());
  batch.fields.resize(fields->size());
  for (std::size_t i = 0; i < fields->size(); ++i)
    batch.fields[i].resize(rows *
                           static_cast<std::size_t>(RowBytes((*fields)[i])));
  batch.weights.resize(rows);
  batch.keys.resize(2 * rows);
}

void OrderTrainRows(const Dataset& dataset, std::uint64_t seed,
                    const BatchPlace& place, Batch& batch) {
  batch.step_key = StepKey(RandomKey(seed, "step keys"), place);
  batch.by_lane.clear();
  if (!GoesByLanes(dataset, place)) return;
  const std::int64_t cores =
      place.host_cores == 0 ? place.cores : place.host_cores;
  batch.by_lane =
      RowsByLane(*dataset.shards(), seed, place.consumed, place.global_batch,
                 {.first = place.first_core * place.batch_per_core,
                  .count = place.cores * place.batch_per_core,
                  .of_host = cores * place.batch_per_core});
}

std::int64_t ExampleAt(std::uint64_t seed, std::int64_t dataset_size,
                       std::int64_t k) {
  PODSIM_CHECK(dataset_size >= 1 && k >= 0);
  const EpochOrder order(seed, k / dataset_size, dataset_size, nullptr);
  return order(k % dataset_size);
}

absl::Status FillTrainRows(const Dataset& dataset, std::uint64_t seed,
                           const BatchPlace& place, std::int64_t first,
                           std::int64_t end, Batch& batch, InputTimes* times,
                           std::vector<std::int64_t>* positions) {
  PODSIM_CHECK(place.global_batch >= 1);
  std::fill(batch.weights.begin() + first, batch.weights.begin() + end,
            1.0F / static_cast<float>(place.global_batch));
  FillKeys(RandomKey(seed, "example keys"), place, first, end, batch);
  const std::int64_t size = dataset.size(Split::kTrain);
  const std::int64_t begin = FirstRow(place);
  RowWriter writer(batch);
  const auto read = [&](std::int64_t row, std::int64_t index,
                        const ExampleRange& window) {
    if (positions != nullptr) positions->push_back(index);
    return dataset.Read(Split::kTrain, index,
                        {.key = KeyOf(batch, row),
                         .in_order = place.in_order,
                         .window = window,
                         .times = times},
                        writer.At(row));
  };
  std::int64_t row = first;
  for (; !batch.by_lane.empty() && row < end; ++row)
    PODSIM_RETURN_IF_ERROR(read(row, batch.by_lane[AsIndex(row)].index,
                                batch.by_lane[AsIndex(row)].window));
  while (row < end) {  // one epoch's part of the rows at a time
    const std::int64_t epoch = (begin + row) / size;
    const EpochOrder order(seed, epoch, size, nullptr);
    const std::int64_t until = std::min(end, (epoch + 1) * size - begin);
    for (; row < until; ++row) {
      const std::int64_t in_epoch = begin + row - epoch * size;
      const std::int64_t index = place.in_order ? in_epoch : order(in_epoch);
      PODSIM_RETURN_IF_ERROR(read(row, index, {}));
    }
  }
  return absl::OkStatus();
}

ReadOrder TrainRowsInOrder(const Dataset& dataset, std::uint64_t seed,
                           const BatchPlace& place, std::int64_t steps) {
  const std::int64_t rows = place.cores * place.batch_per_core;
  const std::int64_t size = dataset.size(Split::kTrain);
  // An epoch's order is made once for all its rows.
  struct Epoch {
    std::int64_t number = -1;
    std::optional<EpochOrder> order;
  };
  // Likewise a step's rows.
  struct Step {
    std::int64_t number = -1;
    Batch batch;
  };
  const auto row = [=, &dataset,
                    step = std::make_shared<Step>()](std::int64_t i) {
    if (step->number != i / rows) {
      step->number = i / rows;
      BatchPlace at = place;
      at.consumed += step->number * place.global_batch;
      OrderTrainRows(dataset, seed, at, step->batch);
    }
    return step->batch.by_lane[AsIndex(i % rows)];
  };
  if (GoesByLanes(dataset, place))
    return {.count = steps * rows,
            .index = [row](std::int64_t i) { return row(i).index; },
            .window = [row](std::int64_t i) { return row(i).window; }};
  const auto index = [=, epoch = std::make_shared<Epoch>()](std::int64_t i) {
    const std::int64_t k =
        FirstRow(place) + i / rows * place.global_batch + i % rows;
    if (place.in_order) return k % size;
    if (epoch->number != k / size) {
      epoch->number = k / size;
      epoch->order.emplace(seed, epoch->number, size, nullptr);
    }
    return (*epoch->order)(k % size);
  };
  return {.count = steps * rows,
          .index = index,
          .window = nullptr,
          .in_order = place.in_order};
}

ReadOrder EvalRowsInOrder(const Dataset& dataset, const BatchPlace& place) {
  const std::int64_t rows = place.cores * place.batch_per_core;
  const std::int64_t size = dataset.size(Split::kEval);
  const std::int64_t batches =
      (size + place.global_batch - 1) / place.global_batch;
  const auto index = [=](std::int64_t i) {
    const std::int64_t k =
        FirstRow(place) + i / rows * place.global_batch + i % rows;
    return k < size ? k : -1;
  };
  return {.count = batches * rows,
          .index = index,
          .window = nullptr,
          .in_order = true};
}

absl::Status FillTrainBatch(const Dataset& dataset, std::uint64_t seed,
                            const BatchPlace& place, Batch& batch,
                            std::vector<std::int64_t>* positions) {
  ResizeBatch(dataset, place, batch);
  OrderTrainRows(dataset, seed, place, batch);
  if (positions != nullptr) positions->clear();
  return FillTrainRows(dataset, seed, place, 0, batch.rows, batch, nullptr,
                       positions);
}

namespace {

absl::Status FillEvalRow(const Dataset& dataset, const BatchPlace& place,
                         std::int64_t row, Batch& batch, ExampleRows rows) {
  const std::int64_t index = FirstRow(place) + row;
  const bool real = index < dataset.size(Split::kEval);
  batch.weights[row] = real ? 1.0F : 0.0F;
  if (real)
    return dataset.Read(Split::kEval, index,
                        {.key = KeyOf(batch, row), .in_order = true}, rows);
  for (const std::span<std::byte> field : rows)
    std::fill(field.begin(), field.end(), std::byte{0});
  return absl::OkStatus();
}

constexpr std::int64_t kEvalRowsAtOnce = 16;

// Which chunks of a batch are filled. Thread-safe.
class FilledChunks {
 public:
  FilledChunks(std::int64_t rows, std::int64_t chunks, const RowsPassed& passed)
      : rows_(rows),
        passed_(passed),
        filled_(static_cast<std::size_t>(chunks)) {}

  void Add(std::int64_t chunk) {
    if (!passed_) return;
    MutexLock lock(mutex_);
    filled_[AsIndex(chunk)] = true;
    while (first_ < filled_.size() && filled_[first_]) ++first_;
    passed_(
        std::min(rows_, static_cast<std::int64_t>(first_) * kEvalRowsAtOnce));
  }

 private:
  const std::int64_t rows_;
  const RowsPassed& passed_;
  Mutex mutex_;
  std::vector<bool> filled_ PODSIM_GUARDED_BY(mutex_);
  std::size_t first_ PODSIM_GUARDED_BY(mutex_) = 0;  // that is not
};

}  // namespace

absl::Status FillEvalBatch(const Dataset& dataset, const BatchPlace& place,
                           Batch& batch, ParallelFor* parallel,
                           const RowsPassed& passed) {
  ResizeBatch(dataset, place, batch);
  batch.by_lane.clear();
  FillKeys(RandomKey(0, "evaluation's example keys"), place, 0, batch.rows,
           batch);
  batch.step_key = StepKey(RandomKey(0, "evaluation's step keys"), place);
  const std::int64_t chunks =
      (batch.rows + kEvalRowsAtOnce - 1) / kEvalRowsAtOnce;
  std::vector<absl::Status> of_chunk(static_cast<std::size_t>(chunks));
  FilledChunks filled(batch.rows, chunks, passed);
  const auto fill = [&](std::int64_t chunk) {
    RowWriter writer(batch);
    const std::int64_t end =
        std::min(batch.rows, (chunk + 1) * kEvalRowsAtOnce);
    absl::Status status;
    for (std::int64_t row = chunk * kEvalRowsAtOnce; row < end && status.ok();
         ++row)
      status = FillEvalRow(dataset, place, row, batch, writer.At(row));
    of_chunk[static_cast<std::size_t>(chunk)] = std::move(status);
    filled.Add(chunk);
  };
  if (parallel != nullptr && !dataset.in_memory()) {
    parallel->Run(chunks, fill);
  } else {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) fill(chunk);
  }
  for (absl::Status& status : of_chunk)
    PODSIM_RETURN_IF_ERROR(std::move(status));
  return absl::OkStatus();
}

}  // namespace podsim
