// What a job reads from a bucket and writes into it, in words. Pure.
#ifndef PODSIM_RUNTIME_JOB_BUCKET_TRAFFIC_TEXT_H_
#define PODSIM_RUNTIME_JOB_BUCKET_TRAFFIC_TEXT_H_

#include <string>

#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// The run's bytes, and how long a host's part of a step takes. `place` is one
// of the plan's. REQUIRES: HasLink(place).
std::string TrafficText(const BucketPlace& place, const JobPlan& plan,
                        const Slice& slice);

// What they cost; empty: no prices are given, or nothing is read or written.
std::string MoneyText(const BucketPlace& place, const JobGeography& geography);

// "400 MB/s", "2 GB/s".
std::string ByteRateText(double bytes_per_second);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_BUCKET_TRAFFIC_TEXT_H_
