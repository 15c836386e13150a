// The data as one stream: which example is which row of which core in which
// step, on any slice, and the batches made of it.
//
// With global batch G, batch B per core and D examples, row r of core c in a
// step that begins after `consumed` examples is example k = consumed + c*B + r
// of the stream; its epoch is k div D and its place k mod D goes through the
// order of (seed, epoch) (epoch_order.h), unless the job wants the data set's
// own.
// Where an epoch goes by lanes, a step's examples are dealt to hosts by lane
// (lane_rows.h), each host's in the order of the stream again.
// Each example comes exactly once per epoch. Its key, for what a model draws at
// random, is a function of (seed, k); a step's key, for what all its examples
// share, one of (seed, consumed).
#ifndef PODSIM_HOST_INPUT_STREAM_H_
#define PODSIM_HOST_INPUT_STREAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/core/parallel_for.h"
#include "host/input/dataset.h"
#include "host/input/input_times.h"
#include "host/input/lane_rows.h"

namespace podsim {

// Index of the k-th example of the training stream, shuffled. Pure.
std::int64_t ExampleAt(std::uint64_t seed, std::int64_t dataset_size,
                       std::int64_t k);

// Rows of a contiguous range of cores, in order. Row-major.
struct Batch {
  std::int64_t rows = 0;
  // Of each field of the data set, its values in its type.
  std::vector<std::vector<std::byte>> fields;
  std::vector<float> weights;       // [rows] share of each row in the loss
  std::vector<std::uint32_t> keys;  // [rows][2]
  std::array<std::uint32_t, 2> step_key = {};  // the same for all cores
  std::vector<StreamRow> by_lane;  // [rows], where the epoch has lanes

  // Rows [first, first + count) of a field.
  std::span<const std::byte> Rows(std::size_t field, std::int64_t first,
                                  std::int64_t count) const;
  // All of a field as values. REQUIRES: T is the field's type.
  template <typename T>
  std::span<const T> Values(std::size_t field) const {
    return {reinterpret_cast<const T*>(fields[field].data()),
            fields[field].size() / sizeof(T)};
  }
};

struct BatchPlace {
  std::int64_t consumed = 0;        // examples of all earlier steps
  std::int64_t batch_per_core = 1;  // B
  std::int64_t first_core = 0;      // of the whole slice
  std::int64_t cores = 1;
  std::int64_t global_batch = 1;  // G: a row's weight is 1 / G
  bool in_order = false;          // no permutation: place k mod D as it is
  std::int64_t host_cores = 0;    // of each host of these cores; 0: one host
};

// Fills `batch` with the training rows of these cores (buffers are reused).
// `positions` (optional, cleared first) receives each row's data set index.
// Errors: the first row's that cannot be read, as Dataset::Read says; then the
//   batch holds anything.
absl::Status FillTrainBatch(const Dataset& dataset, std::uint64_t seed,
                            const BatchPlace& place, Batch& batch,
                            std::vector<std::int64_t>* positions = nullptr);

// The same in parts: makes room in `batch`; says which examples its rows are;
// then rows [first, end) of it, which others may fill at the same time.
void ResizeBatch(const Dataset& dataset, const BatchPlace& place, Batch& batch);
void OrderTrainRows(const Dataset& dataset, std::uint64_t seed,
                    const BatchPlace& place, Batch& batch);
absl::Status FillTrainRows(const Dataset& dataset, std::uint64_t seed,
                           const BatchPlace& place, std::int64_t first,
                           std::int64_t end, Batch& batch,
                           InputTimes* times = nullptr,
                           std::vector<std::int64_t>* positions = nullptr);

// The training rows of these cores in `steps` steps, one after the other; and
// those of an evaluation, batch by batch. The data set must outlive them.
ReadOrder TrainRowsInOrder(const Dataset& dataset, std::uint64_t seed,
                           const BatchPlace& place, std::int64_t steps);
ReadOrder EvalRowsInOrder(const Dataset& dataset, const BatchPlace& place);

using RowsPassed = std::function<void(std::int64_t rows)>;

// Fills rows [consumed + first_core * B, ...) of the evaluation split in
// order, each exactly once over all cores; rows beyond its end get weight 0,
// zeros in every field. A real row's weight is 1. Keys depend on the row's
// place alone. `parallel` (optional) shares the rows out; `passed` (optional)
// hears, from any of its threads, of how many rows all before are filled.
// Errors: as FillTrainBatch.
absl::Status FillEvalBatch(const Dataset& dataset, const BatchPlace& place,
                           Batch& batch, ParallelFor* parallel = nullptr,
                           const RowsPassed& passed = {});

struct InfeedOptions {
  int threads = 1;  // that make batches, at least 1
  // Batches in memory, the caller's among them: at least 1. With 1 none is made
  // ahead.
  std::int64_t batches = 2;
  // Called from those threads whenever rows are done; may be empty.
  std::function<void()> on_progress;
};

// Makes training batches ahead of their reader, on threads of its own, several
// at one batch. Which thread makes which rows decides nothing about them.
//
//   Infeed infeed(dataset, seed, place, steps, {.threads = 4});
//   for (...) { PODSIM_ASSIGN_OR_RETURN(const Batch* batch, infeed.Next()); ...
//   }
class Infeed {
 public:
  // Batch i begins after place.consumed + i * global_batch; `steps` batches.
  Infeed(std::shared_ptr<const Dataset> dataset, std::uint64_t seed,
         BatchPlace place, std::int64_t steps, InfeedOptions options = {});
  ~Infeed();  // joins; does not wait for unread batches
  // Waits for the next batch, as long as its bytes take to come; valid until
  // the next call. REQUIRES: called at most `steps` times.
  // Errors: those of FillTrainBatch, of this batch; later calls repeat it.
  absl::StatusOr<const Batch*> Next();

  // What all batches so far have taken, summed over threads.
  InputTimes times() const;
  int threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_STREAM_H_
