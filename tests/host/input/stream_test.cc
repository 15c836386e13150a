#include "host/input/stream.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/topology/slice.h"
#include "tests/host/input/numbered_dataset.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::NumberedDataset;
using ::testing::Each;
using ::testing::ElementsAreArray;

constexpr std::uint64_t kStreamSeed = 42;

std::span<const float> Features(const Batch& batch) {
  return batch.Values<float>(0);
}

std::span<const std::int32_t> Labels(const Batch& batch) {
  return batch.Values<std::int32_t>(1);
}

TEST(ExampleAt, EachEpochIsAnotherPermutation) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 16, 17, 299, 1498}) {
    std::set<std::vector<std::int64_t>> orders;
    constexpr int kEpochs = 4;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      std::vector<std::int64_t> order;
      for (std::int64_t place = 0; place < size; ++place)
        order.push_back(ExampleAt(kStreamSeed, size, epoch * size + place));
      orders.insert(order);
      std::sort(order.begin(), order.end());
      std::vector<std::int64_t> all(static_cast<std::size_t>(size));
      std::iota(all.begin(), all.end(), 0);
      ASSERT_EQ(order, all) << "epoch " << epoch;
    }
    // Small sizes have few orders, so that some may come twice.
    if (size >= 16) {
      EXPECT_EQ(orders.size(), kEpochs);
    }
  }
}

TEST(ExampleAt, DependsOnTheSeed) {
  int same = 0;
  for (std::int64_t k = 0; k < 1000; ++k)
    if (ExampleAt(1, 1000, k) == ExampleAt(2, 1000, k)) ++same;
  EXPECT_LT(same, 20);  // 1 expected, Poisson
}

TEST(ExampleAt, ReachesFarIntoTheStream) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  EXPECT_GE(ExampleAt(kStreamSeed, 1498, kFar), 0);
  EXPECT_LT(ExampleAt(kStreamSeed, 1498, kFar), 1498);
}

struct CountedStream {
  std::string slice;
  std::int64_t batch_per_core;
  std::int64_t dataset_size;
};

class EverySlice : public ::testing::TestWithParam<CountedStream> {};

// Host by host and step by step, as a pod reads them: after any number of
// examples each index has come floor or ceil of (examples / size) times, and
// exactly the same number of times at the end of an epoch.
TEST_P(EverySlice, EachExampleComesExactlyOncePerEpoch) {
  const auto& [name, batch_per_core, size] = GetParam();
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(name));
  const NumberedDataset dataset(size, 1);
  const std::int64_t global = slice.replicas * batch_per_core;
  const std::int64_t steps = (2 * size + global - 1) / global + 1;
  std::vector<std::int64_t> stream;  // in the order of k
  Batch batch;
  std::vector<std::int64_t> positions;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (int host = 0; host < slice.hosts; ++host) {
      EXPECT_THAT(FillTrainBatch(dataset, kStreamSeed,
                                 {.consumed = step * global,
                                  .batch_per_core = batch_per_core,
                                  .first_core = std::int64_t{host} *
                                                slice.replicas_per_host(),
                                  .cores = slice.replicas_per_host(),
                                  .global_batch = global},
                                 batch, &positions),
                  IsOk());
      ASSERT_EQ(positions.size(), slice.replicas_per_host() * batch_per_core);
      for (std::int64_t row = 0; row < batch.rows; ++row) {
        ASSERT_EQ(Features(batch)[2 * row], positions[row]);
        ASSERT_EQ(Labels(batch)[row], positions[row] % 7);
      }
      stream.insert(stream.end(), positions.begin(), positions.end());
    }
  }
  ASSERT_EQ(stream.size(), steps * global);
  const std::int64_t epochs = steps * global / size;
  ASSERT_GE(epochs, 2);
  std::vector<std::int64_t> count(static_cast<std::size_t>(size));
  for (std::int64_t k = 0; k < epochs * size; ++k) {
    ++count[stream[k]];
    if ((k + 1) % size == 0) {
      ASSERT_THAT(count, Each((k + 1) / size)) << "epoch " << k / size;
    }
  }
}

std::vector<CountedStream> AllSlices() {
  std::vector<CountedStream> cases;
  for (const char* slice : {"v2-8", "v3-32", "v3-2048", "v4-16", "v5litepod-16",
                            "v5p-4224", "tpu7x-18432"}) {
    for (const std::int64_t batch_per_core : {1, 3, 8})
      for (const std::int64_t size : {299, 1498})
        cases.push_back({slice, batch_per_core, size});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Slices, EverySlice, ::testing::ValuesIn(AllSlices()),
                         [](const auto& info) {
                           std::string name =
                               info.param.slice + "_B" +
                               std::to_string(info.param.batch_per_core) +
                               "_D" + std::to_string(info.param.dataset_size);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FillTrainBatch, RowsFollowTheFormula) {
  const NumberedDataset dataset(50, 1);
  const BatchPlace place = {.consumed = 123,
                            .batch_per_core = 7,
                            .first_core = 3,
                            .cores = 5,
                            .global_batch = 56};
  Batch batch;
  EXPECT_THAT(FillTrainBatch(dataset, kStreamSeed, place, batch), IsOk());
  ASSERT_EQ(batch.rows, 35);
  for (int core = 3; core < 8; ++core) {
    for (int row = 0; row < 7; ++row) {
      const std::int64_t at = (core - 3) * 7 + row;
      const std::int64_t want =
          ExampleAt(kStreamSeed, 50, 123 + core * 7 + row);
      EXPECT_EQ(Features(batch)[2 * at], want);
      EXPECT_EQ(Features(batch)[2 * at + 1], static_cast<float>(want) / 2);
      EXPECT_EQ(Labels(batch)[at], want % 7);
    }
  }
  EXPECT_THAT(batch.weights, Each(1.0F / 56));
}

TEST(FillTrainBatch, PackingsAgree) {
  constexpr std::int64_t kCores = 32;
  constexpr std::int64_t kBatch = 3;
  const NumberedDataset dataset(71, 1);  // the batch crosses an epoch's end
  const auto read = [&](std::int64_t cores_at_a_time) {
    Batch whole;
    Batch part;
    for (std::int64_t core = 0; core < kCores; core += cores_at_a_time) {
      EXPECT_THAT(FillTrainBatch(dataset, kStreamSeed,
                                 {.consumed = 40,
                                  .batch_per_core = kBatch,
                                  .first_core = core,
                                  .cores = cores_at_a_time,
                                  .global_batch = kCores * kBatch},
                                 part),
                  IsOk());
      whole.rows += part.rows;
      const auto append = [](auto& to, const auto& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      whole.fields.resize(part.fields.size());
      for (std::size_t i = 0; i < part.fields.size(); ++i)
        append(whole.fields[i], part.fields[i]);
      append(whole.weights, part.weights);
      append(whole.keys, part.keys);
    }
    return whole;
  };
  const Batch together = read(kCores);
  ASSERT_EQ(together.rows, kCores * kBatch);
  for (const std::int64_t cores_at_a_time : {1, 2, 8, 16}) {
    const Batch apart = read(cores_at_a_time);
    EXPECT_EQ(apart.rows, together.rows);
    EXPECT_EQ(apart.fields, together.fields);
    EXPECT_EQ(apart.weights, together.weights);
    EXPECT_EQ(apart.keys, together.keys);
  }
}

// An example's key is that of its place in the stream, whatever the batch, and
// another one in the next epoch.
TEST(FillTrainBatch, KeysFollowThePlaceInTheStream) {
  const NumberedDataset dataset(5, 1);
  const auto keys = [&](std::uint64_t seed, std::int64_t consumed,
                        std::int64_t rows) {
    Batch batch;
    EXPECT_THAT(FillTrainBatch(dataset, seed,
                               {.consumed = consumed,
                                .batch_per_core = rows,
                                .global_batch = rows},
                               batch),
                IsOk());
    EXPECT_EQ(batch.keys.size(), static_cast<std::size_t>(2 * rows));
    return batch.keys;
  };
  const auto all = keys(kStreamSeed, 0, 20);
  const auto later = keys(kStreamSeed, 7, 3);
  EXPECT_TRUE(std::equal(later.begin(), later.end(), all.begin() + 14));
  std::set<std::pair<std::uint32_t, std::uint32_t>> different;
  for (std::size_t i = 0; i < all.size(); i += 2)
    different.insert({all[i], all[i + 1]});
  EXPECT_EQ(different.size(), 20U);
  EXPECT_NE(keys(kStreamSeed + 1, 0, 20), all);
}

TEST(FillTrainBatch, AStepHasOneKeyOnAllCores) {
  const NumberedDataset dataset(50, 1);
  const auto key = [&](std::uint64_t seed, std::int64_t consumed,
                       std::int64_t first_core) {
    Batch batch;
    EXPECT_THAT(FillTrainBatch(dataset, seed,
                               {.consumed = consumed,
                                .batch_per_core = 2,
                                .first_core = first_core,
                                .global_batch = 8},
                               batch),
                IsOk());
    return batch.step_key;
  };
  const auto first = key(kStreamSeed, 0, 0);
  EXPECT_EQ(key(kStreamSeed, 0, 3), first);
  EXPECT_NE(key(kStreamSeed, 8, 0), first);
  EXPECT_NE(key(kStreamSeed + 1, 0, 0), first);
}

// Batches of one size after another slice's are the same stream: what a resumed
// job relies on.
TEST(FillTrainBatch, AnotherBatchSizeReadsOnInTheSameStream) {
  const NumberedDataset dataset(30, 1);
  std::vector<std::int64_t> got;
  std::vector<std::int64_t> positions;
  Batch batch;
  std::int64_t consumed = 0;
  for (const std::int64_t global : {8, 8, 32, 1, 64}) {
    EXPECT_THAT(FillTrainBatch(dataset, kStreamSeed,
                               {.consumed = consumed,
                                .batch_per_core = global,
                                .global_batch = global},
                               batch, &positions),
                IsOk());
    got.insert(got.end(), positions.begin(), positions.end());
    consumed += global;
  }
  std::vector<std::int64_t> want;
  for (std::int64_t k = 0; k < consumed; ++k)
    want.push_back(ExampleAt(kStreamSeed, 30, k));
  EXPECT_EQ(got, want);
}

// Two cores' rows of each step, across the ends of epochs.
TEST(FillTrainBatch, TheDataSetsOwnOrderWhereTheJobWantsIt) {
  const NumberedDataset dataset(30, 1);
  std::vector<std::int64_t> positions;
  Batch batch;
  for (std::int64_t step = 0; step < 20; ++step) {
    EXPECT_THAT(FillTrainBatch(dataset, kStreamSeed,
                               {.consumed = step * 16,
                                .batch_per_core = 4,
                                .first_core = 1,
                                .cores = 2,
                                .global_batch = 16,
                                .in_order = true},
                               batch, &positions),
                IsOk());
    ASSERT_EQ(positions.size(), 8);
    for (std::int64_t row = 0; row < 8; ++row) {
      ASSERT_EQ(positions[row], (step * 16 + 4 + row) % 30);
      ASSERT_EQ(Features(batch)[2 * row], positions[row]);
    }
  }
}

TEST(FillEvalBatch, EachHeldOutExampleExactlyOnce) {
  for (const std::int64_t size : {1, 31, 32, 33, 64, 299}) {
    for (const std::int64_t batch_per_core : {1, 4, 50}) {
      const NumberedDataset dataset(1, size);
      constexpr std::int64_t kHosts = 4;
      const std::int64_t global = kHosts * 8 * batch_per_core;
      std::vector<double> weight(static_cast<std::size_t>(size));
      Batch batch;
      for (std::int64_t consumed = 0; consumed < size; consumed += global) {
        for (std::int64_t host = 0; host < kHosts; ++host) {
          EXPECT_THAT(FillEvalBatch(dataset,
                                    {.consumed = consumed,
                                     .batch_per_core = batch_per_core,
                                     .first_core = host * 8,
                                     .cores = 8,
                                     .global_batch = global},
                                    batch),
                      IsOk());
          const std::int64_t first = consumed + host * 8 * batch_per_core;
          for (std::int64_t row = 0; row < batch.rows; ++row) {
            const std::int64_t index = first + row;
            if (index < size) {
              ASSERT_EQ(Features(batch)[2 * row], index);
              ASSERT_EQ(Labels(batch)[row], index % 7);
              weight[index] += batch.weights[row];
            } else {
              ASSERT_EQ(batch.weights[row], 0);
              ASSERT_EQ(Features(batch)[2 * row], 0);
              ASSERT_EQ(Features(batch)[2 * row + 1], 0);
              ASSERT_EQ(Labels(batch)[row], 0);
            }
          }
        }
      }
      EXPECT_THAT(weight, Each(1.0)) << size << " by " << global;
    }
  }
}

TEST(FillEvalBatch, SaysHowManyRowsAreFilled) {
  const NumberedDataset dataset(100, 50);
  Batch batch;
  std::vector<std::int64_t> passed;
  EXPECT_THAT(FillEvalBatch(dataset, {.batch_per_core = 50}, batch,
                            /*parallel=*/nullptr,
                            [&](std::int64_t rows) { passed.push_back(rows); }),
              IsOk());
  EXPECT_THAT(passed, ElementsAreArray({16, 32, 48, 50}));
}

TEST(FillEvalBatch, ReusedBufferKeepsNothing) {
  const NumberedDataset dataset(100, 5);
  Batch batch;
  EXPECT_THAT(
      FillTrainBatch(dataset, kStreamSeed,
                     {.batch_per_core = 64, .cores = 2, .global_batch = 128},
                     batch),
      IsOk());
  EXPECT_THAT(FillEvalBatch(dataset, {.batch_per_core = 8}, batch), IsOk());
  EXPECT_EQ(batch.rows, 8);
  EXPECT_EQ(Features(batch).size(), 16);
  EXPECT_THAT(batch.weights,
              ElementsAreArray({1.F, 1.F, 1.F, 1.F, 1.F, 0.F, 0.F, 0.F}));
  EXPECT_EQ(Features(batch)[std::size_t{2} * 4], 4);
  EXPECT_EQ(Features(batch)[std::size_t{2} * 5], 0);
}

// Fields of any type and size, in the order in which they are offered.
class TypedDataset final : public Dataset {
 public:
  TypedDataset() {
    config_.set_train_examples(5);
    config_.set_eval_examples(1);
    AddField("image", "uint8", 3);
    AddField("scale", "bfloat16", 1);
    AddField("ids", "uint32", 2);
  }
  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? 5 : 1;
  }
  const DatasetConfig& config() const override { return config_; }
  absl::Status Read(Split /*split*/, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    for (std::size_t field = 0; field < rows.size(); ++field)
      for (std::byte& byte : rows[field])
        byte = static_cast<std::byte>(10 * index + field);
    return absl::OkStatus();
  }

 private:
  void AddField(const char* name, const char* dtype, int side) {
    DataFieldConfig& field = *config_.add_fields();
    field.set_name(name);
    field.set_dtype(dtype);
    field.add_shape(side);
  }

  DatasetConfig config_;
};

std::vector<std::byte> Bytes(std::span<const std::byte> row) {
  return {row.begin(), row.end()};
}

TEST(FillTrainBatch, FieldsTakeTheBytesOfTheirTypes) {
  const TypedDataset dataset;
  Batch batch;
  EXPECT_THAT(FillTrainBatch(dataset, kStreamSeed,
                             {.batch_per_core = 4, .global_batch = 4}, batch),
              IsOk());
  ASSERT_EQ(batch.fields.size(), 3U);
  const std::size_t row_bytes[] = {3, 2, 8};
  for (std::size_t field = 0; field < 3; ++field) {
    EXPECT_EQ(batch.fields[field].size(), 4 * row_bytes[field]);
    for (std::int64_t row = 0; row < 4; ++row) {
      const std::vector<std::byte> bytes = Bytes(batch.Rows(field, row, 1));
      ASSERT_EQ(bytes.size(), row_bytes[field]);
      EXPECT_THAT(
          bytes,
          Each(static_cast<std::byte>(10 * ExampleAt(kStreamSeed, 5, row) +
                                      static_cast<std::int64_t>(field))));
    }
  }
  EXPECT_THAT(FillEvalBatch(dataset, {.batch_per_core = 2}, batch), IsOk());
  EXPECT_THAT(Bytes(batch.Rows(2, 1, 1)), Each(std::byte{0}));
}

}  // namespace
}  // namespace podsim
