#include "job/plan_program.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "base/status.h"
#include "models/graph/serialize_model.h"
#include "models/graph/serialize_program.h"

namespace podsim {
namespace {

absl::StatusOr<Program> ReadProgram(const JobPlan& plan) {
  const std::string hash = Sha256Hex(plan.program());
  if (hash != plan.bits().program_hash())
    return absl::DataLossError(absl::StrCat("the plan's Program has hash ",
                                            hash, ", the plan says ",
                                            plan.bits().program_hash()));
  absl::StatusOr<Program> program = ParseProgram(plan.program());
  if (!program.ok()) return Annotate(program.status(), "the plan's Program");
  return program;
}

// The Program that this process read last, by its hash: a plan's is asked for
// again and again, and weights that it begins with take a while to read.
class LastProgram {
 public:
  absl::StatusOr<Program> Of(const JobPlan& plan) {
    MutexLock lock(mutex_);
    const std::string& hash = plan.bits().program_hash();
    if (hash.empty() || hash != hash_) {
      PODSIM_ASSIGN_OR_RETURN(program_, ReadProgram(plan));
      hash_ = hash;
    }
    return program_;
  }

 private:
  Mutex mutex_;
  std::string hash_ PODSIM_GUARDED_BY(mutex_);
  Program program_ PODSIM_GUARDED_BY(mutex_);
};

LastProgram& Last() {
  static LastProgram& last = *new LastProgram;
  return last;
}

}  // namespace

ProgramBytes BytesOf(const Program& program) {
  std::string bytes = ModelBytes(ToProto(program));
  std::string hash = Sha256Hex(bytes);
  return {.bytes = std::move(bytes), .hash = std::move(hash)};
}

void SetProgram(const ProgramBytes& program, JobPlan& plan) {
  plan.set_program(program.bytes);
  plan.mutable_bits()->set_program_hash(program.hash);
}

void SetProgram(const Program& program, JobPlan& plan) {
  SetProgram(BytesOf(program), plan);
}

absl::StatusOr<Program> ProgramOf(const JobPlan& plan) {
  if (plan.program().empty())
    return absl::DataLossError("the plan has no Program");
  return Last().Of(plan);
}

}  // namespace podsim
