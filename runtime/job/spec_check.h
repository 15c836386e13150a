// What values a JobSpec may have, as job.proto says it. Says nothing about how
// fields fit together otherwise.
#ifndef PODSIM_RUNTIME_JOB_SPEC_CHECK_H_
#define PODSIM_RUNTIME_JOB_SPEC_CHECK_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/hardware.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"

namespace podsim {

// Errors: INVALID_ARGUMENT, one line: the field, its value, what is allowed.
absl::Status CheckSpec(const JobSpec& spec);

// What follows is for a spec that CheckSpec passed.

// Unset means kAuto.
WrapPolicy WrapOf(words::Wrap::Word wrap);

// nullopt: as the generation does.
std::optional<bool> FusesAttention(const JobSpec& spec);

// What ships, with what the spec says instead.
Hardware HardwareOf(const JobSpec& spec);

// Slices of `hardware`, which is the spec's, as it has them: wrapped, twisted,
// with attention computed in that way. Refers to `hardware`.
SliceOptions SliceOptionsOf(const JobSpec& spec, const Hardware& hardware);

// The slice called `name` in the spec's hardware, by each generation's rules;
// the other one as the spec has it wrapped and twisted.
// Errors: those of FindSlice.
absl::StatusOr<Slice> PlainSliceNamed(const std::string& name,
                                      const JobSpec& spec);
absl::StatusOr<Slice> SliceNamed(const std::string& name, const JobSpec& spec);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_SPEC_CHECK_H_
