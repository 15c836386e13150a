// Where a job's pod and buckets are: the guide's rule is a bucket in the region
// of the pod. Pure; docs/storage.md tells it to people, docs/timing-model.md
// has the equations.
//
// A plain path is on this machine and has no place; a path with a scheme
// (gs://bucket/x) has that of its bucket, which bucket_location states or the
// store says. With simulate_geography a plain path is a bucket as well, called
// as it is ("/data/x"), where bucket_location states.
#ifndef PODSIM_RUNTIME_JOB_GEOGRAPHY_H_
#define PODSIM_RUNTIME_JOB_GEOGRAPHY_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// "gs://bucket" of "gs://bucket/x/y"; empty: a plain path.
std::string BucketOf(std::string_view uri);

// The buckets that the job reads or writes, each once; paths that
// simulate_geography takes for one are cut before a pattern's folder.
std::vector<std::string> BucketsOf(const JobSpec& spec);

// Settings of places that cannot be, whatever the slice: for CheckSpec.
// Errors: INVALID_ARGUMENT (an unknown zone or place; what CheckLinks and
//   CheckPrices refuse).
absl::Status CheckGeographySettings(const JobSpec& spec);

// Fills plan.geography, unless the job names neither bucket nor zone; notes and
// warnings go to `plan`. `asked`: what the store says of buckets ("gs://b"),
// such as "EUROPE-WEST4"; one that is missing is not known.
// REQUIRES: `spec` passed CheckGeographySettings; plan's data set, examples,
// steps and core_memory are filled.
// Errors: INVALID_ARGUMENT (a zone that does not offer the slice; a place that
//   is stated and not the store's; settings of a bucket for a job that names
//   none; with require_same_region a bucket elsewhere, or one whose place or
//   whose pod's is not known; with simulate_geography one of the latter).
absl::Status FillGeography(const JobSpec& spec, const Slice& slice,
                           const std::map<std::string, std::string>& asked,
                           JobPlan& plan);

// The place of the bucket that `setting` ("data_dir") names; nullptr: none.
const BucketPlace* PlaceOf(const JobGeography& geography,
                           std::string_view setting);

// Whether that setting names the bucket.
bool Names(const BucketPlace& place, std::string_view setting);

// A bucket in `location`, seen from `region` with what the job says of links
// and prices. REQUIRES: FindLocation(location) is OK; as FillGeography.
BucketPlace PlaceIn(const std::string& location, const std::string& region,
                    const JobSpec& spec);

// The link of a bucket is known.
bool HasLink(const BucketPlace& place);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_GEOGRAPHY_H_
