#include "runtime/job/fit.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "chip/hbm_use.h"
#include "host/core/machine_use.h"
#include "host/input/fields.h"
#include "host/input/input_memory.h"
#include "interconnect/topology/slice.h"
#include "job/plan_program.h"
#include "job/plan_warning.h"
#include "models/zoo/zoo.h"
#include "runtime/job/geography.h"
#include "runtime/job/reduction.h"
#include "runtime/job/smaller_job.h"
#include "settings/words.h"

namespace podsim {
namespace {

// A model that is written otherwise runs so only if somebody changes it.
void WarnOfAttention(const ChipMemory& memory, const ResolvedJob& job,
                     std::int64_t rows, JobPlan& plan) {
  if (!memory.HasAttentionKernels(rows) ||
      job.spec.attention() != words::Attention::auto_)
    return;
  AddWarning(kAttentionWarning,
             "attention is planned as a kernel of its own (Pallas, "
             "FlashAttention), which keeps no scores in HBM; if your code "
             "calls none, --attention=plain plans what XLA makes of it",
             plan);
}

// "recomputes 71 products ...": what it costs, and how to need none of it.
void WarnOfRecomputed(const ChipNeed& need, const ResolvedJob& job,
                      const ChipMemory& memory, std::int64_t microbatches,
                      JobPlan& plan) {
  if (need.recomputed.empty()) return;
  double flops = 0;
  double seconds = 0;
  for (const Recomputed& each : need.recomputed) {
    flops += static_cast<double>(microbatches) * each.flops;
    seconds += static_cast<double>(microbatches) * each.time.seconds();
  }
  const std::int64_t largest = memory.LargestBatch(microbatches);
  const char* const replica = job.slice.replica_name();
  AddWarning(
      "HBM, recomputation",
      absl::StrCat(
          "the HBM of a ", replica,
          " has no room for all activations: each step "
          "computes ",
          FormatCounted(static_cast<std::int64_t>(need.recomputed.size()),
                        "product"),
          microbatches > 1 ? " again in each of its passes, " : " again, ",
          AmountText(flops / 1e12), " TFLOP in ", SpanText(seconds), " sim",
          largest >= 1 ? absl::StrCat("; up to ", FormatCount(largest),
                                      " examples per ", replica, " need none")
                       : "",
          "; --remat=none refuses such a job"),
      plan);
}

// Says which batch to type in the place of one that does not fit.
absl::Status WithFittingBatch(const absl::Status& status,
                              const ChipMemory& chip_memory,
                              const ResolvedJob& job, std::int64_t microbatches,
                              bool evaluates) {
  if (!absl::IsResourceExhausted(status)) return status;
  const std::int64_t largest = chip_memory.LargestBatch(microbatches);
  if (largest < 1) return status;
  const std::int64_t global = largest * job.slice.replicas;
  return absl::ResourceExhaustedError(
      absl::StrCat(status.message(), "; give ",
                   evaluates ? absl::StrCat("--eval_batch_size=", global)
                   : job.spec.has_train_batch_size()
                       ? absl::StrCat("--train_batch_size=", global)
                       : absl::StrCat("--batch_per_core=", largest)));
}

// What a checkpoint holds: float32 without tiles.
std::int64_t SavedBytes(const Program& program) {
  std::int64_t elements = 0;
  for (const ProgramVariable& variable : program.variables)
    elements += program.tensor(variable.tensor).shape.elements();
  return elements * std::int64_t{sizeof(float)};
}

CoreMemory CoreMemoryOf(const ChipMemory& chip_memory,
                        std::int64_t batch_per_core, std::int64_t hbm_bytes,
                        std::int64_t microbatches) {
  const HbmUse& use = chip_memory.At(batch_per_core, microbatches);
  CoreMemory memory;
  memory.set_hbm(hbm_bytes);
  memory.set_parameters(use.parameters);
  memory.set_gradients(use.gradients);
  memory.set_slots(use.optimizer);
  memory.set_activations(use.activations);
  memory.set_input(use.input);
  memory.set_largest_batch(chip_memory.LargestBatch(microbatches));
  return memory;
}

// What input takes beyond the two batches that each host is counted with.
absl::Status FillInputMemory(JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  std::int64_t hosts = 0;  // of the process that has most
  for (int p = 0; p < plan.first_host_size(); ++p) {
    const int end =
        p + 1 < plan.first_host_size() ? plan.first_host(p + 1) : bits.hosts();
    hosts = std::max<std::int64_t>(hosts, end - plan.first_host(p));
  }
  const std::int64_t rows = std::max<std::int64_t>(1, hosts) *
                            bits.cores_per_host() * bits.batch_per_core();
  const std::int64_t batch = BatchBytes(bits.dataset(), rows);
  const std::int64_t asked = plan.spec().input_memory();
  const InputMemory memory = DivideInputMemory(asked, batch);
  if (memory.batches == 0)
    return absl::ResourceExhaustedError(absl::StrCat(
        "input_memory is ", FormatBytes(asked), ", but a batch of ",
        FormatCount(rows), " examples of a process takes ", FormatBytes(batch),
        "; give --input_memory=", (batch + kMiB - 1) / kMiB,
        "M or more, more --processes or a smaller batch"));
  MachineMemory& machine = *plan.mutable_machine_memory();
  // Files that are an example each are read as they are wanted, and kept for a
  // while where they come from far away.
  const bool reads = bits.dataset().shards() > 0 ||
                     (bits.dataset().stored_bytes() > 0 &&
                      (plan.spec().simulate_geography() ||
                       !BucketOf(plan.spec().data_dir()).empty()));
  machine.set_per_process(
      machine.per_process() + (reads ? memory.reader_bytes : 0) +
      std::max<std::int64_t>(0, memory.batches - 2) * batch);
  return absl::OkStatus();
}

std::int64_t BytesIn(const JobPlan& plan, std::int64_t processes) {
  const MachineMemory& memory = plan.machine_memory();
  return processes * memory.per_process() +
         plan.bits().hosts() * memory.per_host();
}

// Of an example more of each core, in all hosts.
std::int64_t HostBytesOfExample(const JobPlan& plan) {
  const absl::StatusOr<Program> program = ProgramOf(plan);
  if (!program.ok()) return 0;
  const int cores = plan.bits().cores_per_host();
  return plan.bits().hosts() * (EstimateMachine(*program, 1, cores).per_host -
                                EstimateMachine(*program, 0, cores).per_host);
}

// What to type in the place of a job that needs more than `limit` bytes.
std::string WhatFits(const JobPlan& plan, std::int64_t limit) {
  const std::int64_t alone = BytesIn(plan, 1);
  const bool several = plan.spec().processes() > 1;
  if (several && alone <= limit)
    return absl::StrCat("--processes=1 needs ", FormatBytes(alone));
  const std::int64_t example = HostBytesOfExample(plan);
  std::string flags = FittingBatch(plan, example, MachineBytes(plan) - limit);
  if (flags.empty() && several) {
    flags = FittingBatch(plan, example, alone - limit);
    if (!flags.empty()) flags = absl::StrCat("--processes=1 ", flags);
  }
  if (!flags.empty())
    return absl::StrCat("give ", flags,
                        ", or use a smaller --topology or model");
  const std::string& model = plan.bits().model().name();
  const bool planned = IsPlanned(model) && !plan.spec().has_model_file();
  return absl::StrCat(
      "use a smaller --topology, --batch_per_core or model",
      planned ? absl::StrCat("; ", SmallSize(model), " trains a small size")
              : "");
}

}  // namespace

absl::Status FillMemory(const Program& program, const ResolvedJob& job,
                        JobPlan& plan) {
  const std::int64_t hbm = job.slice.chip().available_hbm_bytes();
  const char* const replica = job.slice.replica_name();
  const ChipMemory memory(
      program, job.slice.chip(),
      /*recomputes=*/job.spec.remat() == words::Remat::auto_);
  const std::int64_t eval_batch = plan.eval_batch_per_core();
  const std::int64_t tree = MicrobatchesPerCore(plan.bits());
  const std::int64_t microbatches = std::max<std::int64_t>(1, tree);
  PODSIM_RETURN_IF_ERROR(
      WithFittingBatch(memory.Admit(job.batch_per_core, microbatches, replica),
                       memory, job, microbatches, /*evaluates=*/false));
  const ChipMemory evaluation(program, job.slice.chip(), /*recomputes=*/false,
                              EntryPoint::kEval);
  PODSIM_RETURN_IF_ERROR(
      Annotate(WithFittingBatch(
                   evaluation.Admit(eval_batch, /*microbatches=*/1, replica),
                   evaluation, job, /*microbatches=*/1, /*evaluates=*/true),
               "evaluation batch"));
  WarnOfAttention(memory, job, job.batch_per_core / microbatches, plan);
  WarnOfRecomputed(memory.NeedOf(job.batch_per_core, microbatches), job, memory,
                   microbatches, plan);
  *plan.mutable_core_memory() =
      CoreMemoryOf(memory, job.batch_per_core, hbm, microbatches);
  plan.mutable_core_memory()->set_saved(SavedBytes(program));
  const MachineUse use =
      EstimateMachine(program, std::max(job.batch_per_core, eval_batch),
                      job.slice.replicas_per_host(), tree);
  plan.mutable_machine_memory()->set_per_process(use.per_process);
  plan.mutable_machine_memory()->set_per_host(use.per_host);
  return FillInputMemory(plan);
}

std::int64_t MachineBytes(const JobPlan& plan) {
  return BytesIn(plan, plan.spec().processes());
}

absl::Status AdmitToMachine(const JobPlan& plan, std::int64_t available,
                            std::int64_t allowed) {
  const std::int64_t limit = allowed > 0 ? allowed : available;
  const std::int64_t needed = MachineBytes(plan);
  if (limit <= 0 || needed <= limit) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      plan.bits().slice(), " with ", FormatCount(plan.bits().batch_per_core()),
      " examples per ",
      ReplicaNameOf(plan.bits().slice(), plan.spec().hardware()), " needs ",
      FormatBytes(needed), " of memory in ",
      FormatCounted(plan.spec().processes(), "process"), ", but ",
      FormatBytes(limit),
      allowed > 0 ? " are allowed (host_memory_bytes)" : " are there", "; ",
      WhatFits(plan, limit), "; pod_plan plans without"));
}

}  // namespace podsim
