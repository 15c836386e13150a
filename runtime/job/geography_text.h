// Where a job's pod and buckets are, in words. Pure.
#ifndef PODSIM_RUNTIME_JOB_GEOGRAPHY_TEXT_H_
#define PODSIM_RUNTIME_JOB_GEOGRAPHY_TEXT_H_

#include <string>
#include <utility>
#include <vector>

#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// Labels and paragraphs: the zone; each bucket with how it lies, the way there,
// the bytes that go it, and what they cost where prices are given.
// REQUIRES: the plan has a geography; `slice` is the plan's.
std::vector<std::pair<std::string, std::string>> GeographyText(
    const JobPlan& plan, const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_GEOGRAPHY_TEXT_H_
