#include "runtime/job/planned_run.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/units.h"
#include "job/plan_program.h"
#include "models/graph/compile.h"
#include "models/ops/op_table.h"
#include "models/zoo/zoo.h"
#include "runtime/job/smaller_job.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Of one CPU: docs/architecture.md has 86 to 234 GFLOP/s as measured.
constexpr double kCpuFlopsPerSecond = 100e9;
constexpr double kDay = 24 * 3600;

std::vector<ValueType> TypesOfAll(const Program& program,
                                  const std::vector<TensorId>& ids) {
  std::vector<ValueType> types;
  types.reserve(ids.size());
  for (const TensorId id : ids) types.push_back(TypeOf(program.tensor(id)));
  return types;
}

double FlopsOf(const Program& program, const Instruction& instruction,
               std::int64_t rows) {
  const OpEntry& entry = EntryOf(instruction.op);
  if (!entry.is_product()) return 0;
  const std::vector<ValueType> inputs = TypesOfAll(program, instruction.inputs);
  const std::vector<ValueType> outputs =
      TypesOfAll(program, instruction.outputs);
  double flops = 0;
  for (const MatrixProduct& product :
       CostOf(entry, {inputs, outputs, instruction.attributes}, rows).products)
    flops += 2.0 * static_cast<double>(product.count) *
             static_cast<double>(product.m) * static_cast<double>(product.n) *
             static_cast<double>(product.k);
  return flops;
}

}  // namespace

double ProductFlops(const Program& program, std::int64_t rows) {
  double flops = 0;
  const auto found = program.entries.find(EntryPoint::kTrainMicrobatch);
  if (found == program.entries.end()) return flops;
  for (const Segment& segment : found->second)
    for (const Instruction& instruction : segment.instructions)
      flops += FlopsOf(program, instruction, rows);
  return flops;
}

absl::Status AdmitPlannedRun(const JobPlan& plan, int cpus) {
  const PlanBits& bits = plan.bits();
  if (cpus == 0 || plan.spec().has_model_file() ||
      plan.spec().mode() == words::Mode::eval ||
      !IsPlanned(bits.model().name()))
    return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const Program program, ProgramOf(plan));
  const double flops = ProductFlops(program, bits.batch_per_core()) *
                       bits.hosts() * bits.cores_per_host() *
                       static_cast<double>(plan.train_steps());
  const double days = flops / (cpus * kCpuFlopsPerSecond) / kDay;
  if (days <= 1) return absl::OkStatus();
  const std::string steps = StepsOfADay(plan, days);
  return absl::FailedPreconditionError(absl::StrCat(
      "model ", bits.model().name(),
      " is for plans: ", FormatCounted(plan.train_steps(), "step"), " on ",
      bits.slice(), " take ", absl::StrFormat("%.2g", flops),
      " floating-point operations, ", AmountText(days), " days of ",
      FormatCounted(cpus, "CPU"), " at ", kCpuFlopsPerSecond / 1e9,
      " GFLOP/s each, and a run of it may take one; --dry_run and pod_plan "
      "plan it; ",
      steps.empty() ? "" : absl::StrCat(steps, " would take one such day; "),
      SmallSize(bits.model().name()), " trains a small size"));
}

}  // namespace podsim
