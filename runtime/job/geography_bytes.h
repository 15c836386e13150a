// The bytes that go between a pod and its buckets, and how fast. Pure.
#ifndef PODSIM_RUNTIME_JOB_GEOGRAPHY_BYTES_H_
#define PODSIM_RUNTIME_JOB_GEOGRAPHY_BYTES_H_

#include <cstdint>

#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// Fills what the run reads and writes in buckets; those and their settings are
// there. REQUIRES: as FillGeography.
void FillGeographyBytes(const JobSpec& spec, const JobPlan& plan,
                        JobGeography& geography);

// How many hosts read each training example, on the average: at least 1.
double HostsOfExample(const BucketPlace& place);

// What a host of `slice` reads for a step of examples of so many bytes.
double HostStepBytes(const BucketPlace& place, std::int64_t example_bytes,
                     std::int64_t batch_per_core, const Slice& slice);

// Copies how examples are read.
void CopyReading(const BucketPlace& from, BucketPlace& to);

// Bytes/s that one of `hosts` hosts reads with, all at once: a host keeps
// reads_in_flight reads of bytes_of_read bytes in flight, so that their round
// trips hide behind one another. Then those that it writes with, which is no
// matter of round trips. `together` of them have the reads in flight of one, as
// those of a process do. REQUIRES: HasLink(place); together >= 1.
double ReadRate(const BucketPlace& place, int hosts, int together = 1);
double WriteRate(const BucketPlace& place, int hosts);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_GEOGRAPHY_BYTES_H_
