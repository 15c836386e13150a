#include "runtime/job/fit.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "host/core/admission.h"

namespace podsim {
namespace {

// AdmitToCore, for batches whose bytes cannot even be counted too.
absl::Status Admit(const Program& program, std::int64_t batch_per_core,
                   std::int64_t hbm_bytes, std::int64_t microbatches) {
  const std::int64_t fixed = EstimateHbm(program, 0, microbatches).total();
  const std::int64_t row = std::max<std::int64_t>(
      1, EstimateHbm(program, 1).total() - EstimateHbm(program, 0).total());
  const std::int64_t countable =
      (std::numeric_limits<std::int64_t>::max() - fixed) / row;
  if (batch_per_core <= countable)
    return AdmitToCore(program, batch_per_core, hbm_bytes, microbatches);
  return absl::ResourceExhaustedError(absl::StrCat(
      "a batch of ", FormatCount(batch_per_core),
      " per core is far beyond the core's ", FormatBytes(hbm_bytes),
      " of HBM; the largest that fits is ",
      FormatCount(LargestBatch(program, hbm_bytes, microbatches))));
}

absl::Status AdmitToMachine(const Program& program, std::int64_t batch_per_core,
                            const ResolvedJob& job, const FitLimits& limits) {
  const std::int64_t available = job.spec.host_memory_bytes() > 0
                                     ? job.spec.host_memory_bytes()
                                     : limits.memory_bytes;
  if (available <= 0) return absl::OkStatus();
  const auto needed_by = [&](int count) {
    return EstimateMachineBytes(program, batch_per_core, job.slice.hosts,
                                kCoresPerHost, count, limits.microbatches);
  };
  const std::int64_t needed = needed_by(limits.processes);
  if (needed <= available) return absl::OkStatus();
  const bool one_fits = limits.processes > 1 && needed_by(1) <= available;
  return absl::ResourceExhaustedError(absl::StrCat(
      job.slice.name, " with ", FormatCount(batch_per_core),
      " rows per core needs ", FormatBytes(needed), " of memory in ",
      limits.processes, " processes, but ", FormatBytes(available),
      job.spec.host_memory_bytes() > 0 ? " are allowed (host_memory_bytes)"
                                       : " are there",
      "; ",
      one_fits ? absl::StrCat("processes=1 needs ", FormatBytes(needed_by(1)))
               : std::string("use a smaller slice, batch or model")));
}

}  // namespace

absl::Status CheckFits(const Program& program, const ResolvedJob& job,
                       const FitLimits& limits) {
  const std::int64_t hbm = job.slice.chip().hbm_bytes_per_core;
  const std::int64_t eval_batch = limits.eval_batch_per_core;
  PODSIM_RETURN_IF_ERROR(Admit(program, job.batch_per_core, hbm,
                               std::max<std::int64_t>(1, limits.microbatches)));
  PODSIM_RETURN_IF_ERROR(Annotate(
      Admit(program, eval_batch, hbm, /*microbatches=*/1), "evaluation batch"));
  return AdmitToMachine(program, std::max(job.batch_per_core, eval_batch), job,
                        limits);
}

}  // namespace podsim
