#include "job/plan_program.h"

#include <optional>
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

// The Program that this process read last, by its hash: a plan's is asked for
// again and again, and weights that it begins with take a while to read.
class LastProgram {
 public:
  std::optional<Program> Find(const std::string& hash) {
    MutexLock lock(mutex_);
    if (hash.empty() || hash != hash_) return std::nullopt;
    return program_;
  }

  void Keep(const std::string& hash, const Program& program) {
    MutexLock lock(mutex_);
    hash_ = hash;
    program_ = program;
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

void SetProgram(const Program& program, JobPlan& plan) {
  plan.set_program(ModelBytes(ToProto(program)));
  plan.mutable_bits()->set_program_hash(Sha256Hex(plan.program()));
}

absl::StatusOr<Program> ProgramOf(const JobPlan& plan) {
  if (plan.program().empty())
    return absl::DataLossError("the plan has no Program");
  if (auto known = Last().Find(plan.bits().program_hash()))
    return *std::move(known);
  const std::string hash = Sha256Hex(plan.program());
  if (hash != plan.bits().program_hash())
    return absl::DataLossError(absl::StrCat("the plan's Program has hash ",
                                            hash, ", the plan says ",
                                            plan.bits().program_hash()));
  absl::StatusOr<Program> program = ParseProgram(plan.program());
  if (!program.ok()) return Annotate(program.status(), "the plan's Program");
  Last().Keep(hash, *program);
  return program;
}

}  // namespace podsim
