// The Program that a plan carries.
#ifndef PODSIM_JOB_PLAN_PROGRAM_H_
#define PODSIM_JOB_PLAN_PROGRAM_H_

#include <string>

#include "absl/status/statusor.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

// A Program as a plan carries it.
struct ProgramBytes {
  std::string bytes;
  std::string hash;  // of them: SHA-256 hex
};
ProgramBytes BytesOf(const Program& program);

// Puts the Program into the plan, and its hash into the plan's bits.
void SetProgram(const ProgramBytes& program, JobPlan& plan);
void SetProgram(const Program& program, JobPlan& plan);

// What everybody runs, prices and saves: nobody compiles a plan's model again.
// The last one that a process read is known by its hash from then on.
// Thread-safe; while one caller reads, the others wait, so that callers who ask
// for the same one read it once.
// Errors: DATA_LOSS (none, or another one than the plan's bits were hashed
//   with); those of ParseProgram.
absl::StatusOr<Program> ProgramOf(const JobPlan& plan);

}  // namespace podsim

#endif  // PODSIM_JOB_PLAN_PROGRAM_H_
