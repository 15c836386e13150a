// What another attempt may mend of an exchange that failed. Pure.
#ifndef PODSIM_HOST_STORAGE_HTTP_FAILURE_H_
#define PODSIM_HOST_STORAGE_HTTP_FAILURE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace podsim {

enum class Mending : std::uint8_t {
  kNever,  // somebody has to change something first: final at once
  kSoon,   // a few attempts, or it stays as it is
  kLater,  // attempts for as long as the caller has
};

// The same status, with a mark that every Annotate keeps.
// REQUIRES: !status.ok().
absl::Status MarkMending(absl::Status status, Mending mending);

// By its mark; without one UNAVAILABLE is kLater, DATA_LOSS (damaged on the
// way, or never whole) and DEADLINE_EXCEEDED kSoon, all else kNever.
// `answered`: the same server has answered this process before, so that its
// name, certificate and setup were right, and what marks say otherwise is a
// trouble of the network: kLater.
Mending MendingOf(const absl::Status& status, bool answered);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_HTTP_FAILURE_H_
