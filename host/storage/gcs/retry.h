// When a call to a store is made again, and when it is given up. Pure.
#ifndef PODSIM_HOST_STORAGE_GCS_RETRY_H_
#define PODSIM_HOST_STORAGE_GCS_RETRY_H_

#include <cstdint>

#include "absl/time/time.h"
#include "host/storage/http/failure.h"

namespace podsim {

// Cloud Storage asks for truncated exponential back-off with jitter
// (https://cloud.google.com/storage/docs/retry-strategy); its own clients begin
// at 1 s, double, and give up after some minutes.
struct RetryLimits {
  absl::Duration first = absl::Milliseconds(250);
  absl::Duration longest = absl::Seconds(16);
  // From the first attempt to the beginning of the last.
  absl::Duration budget = absl::Minutes(2);
  // The same, once a call has spent its budget, until the store answers again.
  absl::Duration given_up = absl::Seconds(10);
  // For what is Mending::kSoon: attempts in all.
  int few = 4;
};

// Whether there shall be another attempt after attempt `attempt` (from 1),
// which failed, `span` after the first began, when the next one comes `wait`
// later.
bool TriesAgain(const RetryLimits& limits, Mending mending, int attempt,
                absl::Duration span, absl::Duration wait);

// How long to wait after attempt `attempt` (from 1) before the next: between
// half and all of first x 2^(attempt-1), at most `longest`; at least what the
// store asked for. `random` chooses in between.
absl::Duration BackOff(const RetryLimits& limits, int attempt,
                       std::uint64_t random, absl::Duration asked_for);

// Answers that may be another at the next attempt: 408, 429 and what a server
// says of itself (the list of the page above).
bool IsTransient(int http_status);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_RETRY_H_
