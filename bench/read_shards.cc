// Reads a data set of shards from front to back, as a job's input threads do,
// and says what it took: podsim's half of bench/peers/compare_input.
//
//   read_shards DATASET DATA_DIR FEATURES THREADS PASSES [MEMORY]
//
// Files are read anew in each pass, unless MEMORY bytes (default 32 MiB) hold
// them. A line of JSON for each pass, then what all values of each field add up
// to, in a pass of its own.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/fields.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kMemory = std::int64_t{32} << 20;

// A batch's rows, field by field, and where an example's are.
struct Batch {
  explicit Batch(const std::vector<DataField>& fields) {
    for (const DataField& field : fields) {
      row_bytes.push_back(static_cast<std::size_t>(
          SizeOf(field.type.dtype) * field.type.shape.elements()));
      bytes.emplace_back(row_bytes.back() * kBatch);
    }
    rows.resize(fields.size());
  }
  ExampleRows Rows(std::int64_t place) {
    for (std::size_t f = 0; f < rows.size(); ++f)
      rows[f] = std::span(bytes[f]).subspan(
          static_cast<std::size_t>(place) * row_bytes[f], row_bytes[f]);
    return rows;
  }

  std::vector<std::size_t> row_bytes;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::span<std::byte>> rows;
};

// Every example once, batch by batch. Calls `use` with each row, if it is
// given.
template <typename Use>
absl::Status Pass(const Dataset& dataset, int threads, std::uint64_t pass,
                  const Use& use) {
  const std::int64_t size = dataset.size(Split::kTrain);
  const auto fields = FieldsOf(dataset.config());
  PODSIM_RETURN_IF_ERROR(fields.status());
  std::atomic<std::int64_t> next{0};
  std::vector<absl::Status> statuses(static_cast<std::size_t>(threads));
  const auto read = [&](int thread) {
    Batch batch(*fields);
    for (;;) {
      const std::int64_t begin = next.fetch_add(kBatch);
      if (begin >= size) return;
      for (std::int64_t i = begin; i < std::min(size, begin + kBatch); ++i) {
        const ExampleRows rows = batch.Rows(i - begin);
        const absl::Status status =
            dataset.Read(Split::kTrain, i,
                         {.key = pass << 40 | static_cast<std::uint64_t>(i),
                          .in_order = true},
                         rows);
        if (!status.ok()) {
          statuses[static_cast<std::size_t>(thread)] = status;
          return;
        }
        use(rows);
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < threads; ++i) workers.emplace_back(read, i);
    read(0);
  }
  for (const absl::Status& status : statuses) PODSIM_RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

double SumOf(DType dtype, std::span<std::byte> row) {
  double sum = 0;
  if (dtype == DType::kFloat32) {
    for (const float value : RowValues<float>(row))
      sum += static_cast<double>(value);
  } else if (dtype == DType::kInt32) {
    for (const std::int32_t value : RowValues<std::int32_t>(row)) sum += value;
  } else {
    for (const std::byte value : row) sum += std::to_integer<int>(value);
  }
  return sum;
}

absl::Status Run(const DatasetRequest& request, int threads, int passes) {
  const std::unique_ptr<ObjectStore> store = NewLocalStore();
  PODSIM_ASSIGN_OR_RETURN(const auto dataset, OpenDataset(request, *store));
  for (int pass = 0; pass < passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    PODSIM_RETURN_IF_ERROR(Pass(*dataset, threads,
                                static_cast<std::uint64_t>(pass),
                                [](ExampleRows) {}));
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    std::cout << "{\"seconds\": " << took.count()
              << ", \"examples\": " << dataset->size(Split::kTrain) << "}\n";
  }
  PODSIM_ASSIGN_OR_RETURN(const auto fields, FieldsOf(dataset->config()));
  std::vector<double> sums(fields.size());
  PODSIM_RETURN_IF_ERROR(Pass(*dataset, 1, 0, [&](ExampleRows rows) {
    for (std::size_t f = 0; f < rows.size(); ++f)
      sums[f] += SumOf(fields[f].type.dtype, rows[f]);
  }));
  std::cout.precision(17);
  std::cout << "{\"sums\": {";
  for (std::size_t f = 0; f < sums.size(); ++f)
    std::cout << (f > 0 ? ", " : "") << "\"" << fields[f].name
              << "\": " << sums[f];
  std::cout << "}}\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  int threads = 0;
  int passes = 0;
  std::int64_t memory = podsim::kMemory;
  if (argc < 6 || argc > 7) {
    std::cerr << "read_shards: given:";
    for (int i = 1; i < argc; ++i) std::cerr << " " << argv[i];
    std::cerr << "; it takes 5 or 6 arguments: read_shards DATASET DATA_DIR "
                 "FEATURES THREADS PASSES [MEMORY]\n";
    return 2;
  }
  const auto refuse = [](const char* what, const char* given) {
    std::cerr << "read_shards: " << what << " is \"" << given
              << "\"; give a whole number from 1 up\n";
    return 2;
  };
  if (!absl::SimpleAtoi(argv[4], &threads) || threads < 1)
    return refuse("THREADS", argv[4]);
  if (!absl::SimpleAtoi(argv[5], &passes) || passes < 1)
    return refuse("PASSES", argv[5]);
  if (argc == 7 && (!absl::SimpleAtoi(argv[6], &memory) || memory < 1))
    return refuse("MEMORY", argv[6]);
  const absl::Status done = podsim::Run({.name = argv[1],
                                         .data_dir = argv[2],
                                         .features = argv[3],
                                         .reader_bytes = memory},
                                        threads, passes);
  if (done.ok()) return 0;
  std::cerr << done.message() << "\n";
  return 1;
}
