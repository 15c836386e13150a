// A file that did not exist before: results are never overwritten.
#ifndef PODSIM_RUNTIME_BENCH_NEW_FILE_H_
#define PODSIM_RUNTIME_BENCH_NEW_FILE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/unique_fd.h"

namespace podsim {

class NewFile {
 public:
  // Creates `path`, or where that exists `path`.0, `path`.1, ...; a device or
  // /dev/stdout is written to as it is. Errors: those of open and of OpenOutput
  // (base/output_file.h), naming the path.
  static absl::StatusOr<NewFile> Create(const std::string& path);

  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  // A file that nothing was written to is removed.
  ~NewFile();

  const std::string& path() const { return path_; }
  // Errors: those of write, naming the path.
  absl::Status Write(const std::string& text);

 private:
  NewFile(std::string path, UniqueFd fd)
      : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
  bool written_ = false;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_NEW_FILE_H_
