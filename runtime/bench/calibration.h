// From a benchmark of all algorithms to the table that `auto` goes by. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(const std::vector<ChoiceRow> table,
//                           Calibrate(plan.spec().bench(), rows));
//
// Times are medians in place, sizes the bytes that travel. From the smallest
// size to the largest: a row of the table begins where another algorithm is
// more than kLead times as fast as the row's so far, for less is noise; the
// bound between two rows is the geometric mean of the last size of the one and
// the first of the other. So at every size that was measured the table's
// algorithm takes at most kLead times as long as the fastest.
//
// All rows are for up to as many ranks as were measured, the last one for all
// sizes beyond. Larger groups and other collectives go by the shipped table,
// which ChoiceTable puts behind.
#ifndef PODSIM_RUNTIME_BENCH_CALIBRATION_H_
#define PODSIM_RUNTIME_BENCH_CALIBRATION_H_

#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/collectives/choose.h"
#include "proto/bench.pb.h"

namespace podsim {

inline constexpr double kLead = 1.05;

// A calibration compares all algorithms over sizes, and nothing else: one data
// type, operation, root and cycle, verified, with hosts as ranks.
// Errors: INVALID_ARGUMENT, one line: the flag, what was given, what to give.
// REQUIRES: CheckBench passed.
absl::Status CheckCalibration(const BenchSpec& bench);

// Errors: FAILED_PRECONDITION: no rows; elements that were wrong or not
//   verified; a size that an algorithm has no time for, naming both.
// REQUIRES: CheckCalibration passed before "all" was replaced; `rows` are of
//   `bench`.
absl::StatusOr<std::vector<ChoiceRow>> Calibrate(
    const BenchSpec& bench, std::span<const BenchRow> rows);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_CALIBRATION_H_
