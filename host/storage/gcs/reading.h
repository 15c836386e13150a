// How much of an object is read at a time, for reading and for its forecast.
#ifndef PODSIM_HOST_STORAGE_GCS_READING_H_
#define PODSIM_HOST_STORAGE_GCS_READING_H_

#include <cstdint>

namespace podsim {

// A connection is the faster the longer its ranges, and a retry the dearer;
// so many reads at once hide each other's round trips.
inline constexpr std::int64_t kGcsReadBytes = std::int64_t{8} << 20;
inline constexpr int kGcsReadsInFlight = 16;
// Of what is read from front to back, one read after the other.
inline constexpr std::int64_t kStreamReadBytes = std::int64_t{4} << 20;

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_READING_H_
