// Which algorithm `--algo=auto` takes: the first row of a table that fits.
//
//   const Algorithm algorithm =
//       ChooseAlgorithm(Collective::kAllReduce, 64 << 10, world,
//                       ShippedChoices(Medium::kSharedMemory));
//
// Two tables ship: where a message costs little, as through shared memory, an
// even flow pays from smaller buffers on. The choice decides the order
// of a sum, so it is part of the job's plan: a table is written once, by a
// calibration (choice_table.h says how it travels), and never by what a run
// measures.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_CHOOSE_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_CHOOSE_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "interconnect/collectives/algorithms.h"

namespace podsim {

inline constexpr std::int64_t kNoLimit =
    std::numeric_limits<std::int64_t>::max();

// Fits a collective of up to `most_ranks` ranks and `most_bytes` bytes of
// buffer. kTorus2d needs a grid: only for tables of groups that have one.
struct ChoiceRow {
  Collective collective = Collective::kAllReduce;
  std::int64_t most_ranks = kNoLimit;
  std::int64_t most_bytes = kNoLimit;
  Algorithm algorithm = Algorithm::kRing;
  bool operator==(const ChoiceRow&) const = default;
};

// What frames between processes go through.
enum class Medium : std::uint8_t { kSharedMemory, kSockets };

// Of a job's transport: "shm" is shared memory, all else is sockets.
Medium MediumOf(std::string_view transport);

// What ships: for when no calibration has been made.
std::span<const ChoiceRow> ShippedChoices(Medium medium);

// Rows are tried in order. Where none fits: the first of AllAlgorithms() that
// supports the collective.
// REQUIRES: CheckChoices(table) is OK.
Algorithm ChooseAlgorithm(Collective collective, std::int64_t bytes, int world,
                          std::span<const ChoiceRow> table);

// Errors: INVALID_ARGUMENT naming the first row that is wrong: an algorithm
//   that does not do the collective, or a limit below 0.
absl::Status CheckChoices(std::span<const ChoiceRow> table);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_CHOOSE_H_
