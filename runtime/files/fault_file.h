// Fault plans as text: FaultPlan in protobuf's text format, '#' begins a
// comment.
//
//   PODSIM_ASSIGN_OR_RETURN(*spec.mutable_faults(), ReadFaults("faults.txt"));
#ifndef PODSIM_RUNTIME_FILES_FAULT_FILE_H_
#define PODSIM_RUNTIME_FILES_FAULT_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/faults.pb.h"

namespace podsim {

// `name` stands for the text in messages. Says nothing about how the faults fit
// a job: CheckFaults does.
// Errors: INVALID_ARGUMENT, one line that begins with NAME: what is no fault
//   plan (with the place), or has no fault.
absl::StatusOr<FaultPlan> ParseFaults(const std::string& text,
                                      const std::string& name);

// Errors: those of ParseFaults; NOT_FOUND, PERMISSION_DENIED.
absl::StatusOr<FaultPlan> ReadFaults(const std::string& path);

// A refusal of a plan from that file, "fault 2 (KILL): step is 0; ...", with
// the line of the fault: "faults.txt:2: step is 0; ...", or with the file alone
// if its lines are not known. fault: counted from 0; nullopt: it is of none.
// The refusal says which only where the line has several.
absl::Status InFaultFile(const absl::Status& refused, std::optional<int> fault,
                         const std::string& path);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_FAULT_FILE_H_
