// The bytes that go between a pod and its buckets, and how fast. Pure.
#ifndef PODSIM_RUNTIME_JOB_GEOGRAPHY_BYTES_H_
#define PODSIM_RUNTIME_JOB_GEOGRAPHY_BYTES_H_

#include <cstdint>

#include "host/storage/gcs/reading.h"
#include "proto/job.pb.h"

namespace podsim {

// A host keeps so many reads of so many bytes in flight, so that their round
// trips hide behind one another.
inline constexpr int kReadsInFlight = kGcsReadsInFlight;
inline constexpr std::int64_t kReadBytes = kGcsReadBytes;

// Fills what the run reads and writes in buckets; those and their settings are
// there. REQUIRES: as FillGeography.
void FillGeographyBytes(const JobSpec& spec, const JobPlan& plan,
                        JobGeography& geography);

// What a host reads for a step. REQUIRES: the plan has a geography.
double HostStepBytes(const JobPlan& plan);

// Bytes/s that one of `hosts` hosts reads with, all at once; that it writes
// with, which is no matter of round trips. REQUIRES: HasLink(place).
double ReadRate(const BucketPlace& place, int hosts);
double WriteRate(const BucketPlace& place, int hosts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_GEOGRAPHY_BYTES_H_
