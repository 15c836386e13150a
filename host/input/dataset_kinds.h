// The data sets that there are by name, and what is said of each before it is
// opened. Pure.
#ifndef PODSIM_HOST_INPUT_DATASET_KINDS_H_
#define PODSIM_HOST_INPUT_DATASET_KINDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

struct DatasetKind {
  std::string_view name;
  // What its data_dir holds, as messages say it; null: it has no files.
  const char* files = nullptr;
  // Its examples are read from files as they are wanted, by a line of schema.
  bool shards = false;
};

// In the order of their names.
std::span<const DatasetKind> DatasetKinds();

// Null: none is called so.
const DatasetKind* FindDatasetKind(std::string_view name);

std::vector<std::string> DatasetNames();

// The data set that a path names by itself, "csv" of one that ends in .csv or
// .csv.gz; empty: none.
std::string DatasetOfPath(std::string_view path);

// The data set with files whose name the last part of a path has, mnist of
// data/mnist-2; null: none.
const DatasetKind* DatasetKindIn(std::string_view path);

// A file of NumPy's by its name, of which a data set has several.
bool IsOfNumpy(std::string_view path);

// INVALID_ARGUMENT: a file of a kind that has no reader, by its name.
absl::Status CheckIsRead(const std::string& path);

// INVALID_ARGUMENT: names those that are like `name`, and all.
absl::Status UnknownDataset(const std::string& name);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_DATASET_KINDS_H_
