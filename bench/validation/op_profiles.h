// Ops of compiled programs with the time that each took on a core of TPU v3:
// the rows of data/v3_ops.tsv.gz, whose README says where they are from.
#ifndef PODSIM_BENCH_VALIDATION_OP_PROFILES_H_
#define PODSIM_BENCH_VALIDATION_OP_PROFILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim::validation {

struct OpRow {
  std::string program;           // "resnet"
  std::string category;          // "convolution fusion"
  std::int64_t occurrences = 1;  // runs while the profile was taken
  // Of one run; FLOPs as XLA counts them, without padding.
  double seconds = 0;
  double flops = 0;
  double hbm_bytes = 0;
  std::string hlo;  // shapes, layouts, op code, attributes; may be empty

  double all_seconds() const {
    return static_cast<double>(occurrences) * seconds;
  }
};

// The rows of such a file, packed by gzip or not, in its order.
// Errors: NOT_FOUND (cannot be opened), DATA_LOSS (corrupt, cut short, another
//   first line, a line that is no row: file, line, what is wrong).
absl::StatusOr<std::vector<OpRow>> ReadOpRows(const std::string& path);

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_OP_PROFILES_H_
