#include "job/plan_program.h"

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "models/graph/serialize_model.h"
#include "models/graph/serialize_program.h"

namespace podsim {

void SetProgram(const Program& program, JobPlan& plan) {
  plan.set_program(ModelBytes(ToProto(program)));
  plan.mutable_bits()->set_program_hash(Sha256Hex(plan.program()));
}

absl::StatusOr<Program> ProgramOf(const JobPlan& plan) {
  if (plan.program().empty())
    return absl::DataLossError("the plan has no Program");
  const std::string hash = Sha256Hex(plan.program());
  if (hash != plan.bits().program_hash())
    return absl::DataLossError(absl::StrCat("the plan's Program has hash ",
                                            hash, ", the plan says ",
                                            plan.bits().program_hash()));
  absl::StatusOr<Program> program = ParseProgram(plan.program());
  if (!program.ok()) return Annotate(program.status(), "the plan's Program");
  return program;
}

}  // namespace podsim
