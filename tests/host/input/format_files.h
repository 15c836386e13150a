// Files that other libraries wrote (tests/golden/data/make.py), opened and
// read.
#ifndef PODSIM_TESTS_HOST_INPUT_FORMAT_FILES_H_
#define PODSIM_TESTS_HOST_INPUT_FORMAT_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "host/input/fields.h"
#include "host/storage/storage.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {

inline std::string Golden(const std::string& name) {
  return absl::StrCat(PODSIM_GOLDEN_DATA, "/", name);
}

inline std::string FileOf(const std::string& name) {
  const auto bytes = NewLocalStore()->Read(Golden(name));
  PODSIM_CHECK(bytes.ok());
  return *bytes;
}

// An example's fields.
inline std::vector<std::vector<std::byte>> RowsOf(const Dataset& dataset,
                                                  Split split,
                                                  std::int64_t index,
                                                  std::uint64_t key = 0) {
  const auto fields = FieldsOf(dataset.config());
  PODSIM_CHECK(fields.ok());
  std::vector<std::vector<std::byte>> rows;
  for (const DataField& field : *fields)
    rows.emplace_back(static_cast<std::size_t>(RowBytes(field)));
  const std::vector<std::span<std::byte>> spans(rows.begin(), rows.end());
  const absl::Status status = dataset.Read(split, index, {.key = key}, spans);
  EXPECT_THAT(status, IsOk());
  return rows;
}

template <typename T>
std::vector<T> Values(const std::vector<std::byte>& row) {
  const auto* const begin = reinterpret_cast<const T*>(row.data());
  return {begin, begin + row.size() / sizeof(T)};
}

inline absl::StatusOr<std::shared_ptr<const Dataset>> OpenFormat(
    const std::string& name, const std::string& folder,
    const std::string& features = "", std::int32_t classes = 0) {
  static ObjectStore& store = *NewLocalStore().release();
  return OpenDataset({.name = name,
                      .data_dir = Golden(folder),
                      .classes = classes,
                      .features = features},
                     store);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_INPUT_FORMAT_FILES_H_
