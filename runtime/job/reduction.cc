#include "runtime/job/reduction.h"

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "models/graph/exchanges.h"
#include "settings/words.h"

namespace podsim {
namespace {

// "12, 6 or 3" of 12: what a core's batch holds a power of two of.
std::string MicrobatchesOf(std::int64_t batch) {
  constexpr std::size_t kMostNamed = 6;
  std::vector<std::int64_t> sizes = {batch};
  while (sizes.back() % 2 == 0 && sizes.size() < kMostNamed)
    sizes.push_back(sizes.back() / 2);
  const std::int64_t last = sizes.back();
  sizes.pop_back();
  return sizes.empty() ? absl::StrCat(last)
                       : absl::StrCat(absl::StrJoin(sizes, ", "), " or ", last);
}

absl::Status CheckMicrobatch(const ResolvedJob& job) {
  const std::int64_t size = job.spec.microbatch_size();
  const std::int64_t batch = job.batch_per_core;
  const bool divides = size > 0 && batch % size == 0;
  if (divides && std::has_single_bit(static_cast<std::uint64_t>(batch / size)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "microbatch_size is ",
      job.spec.has_microbatch_size() ? FormatCount(size) : "not given",
      "; reduction=tree needs a power of two of microbatches in a core's "
      "batch of ",
      FormatCount(batch), ": give --microbatch_size=", MicrobatchesOf(batch)));
}

// Whatever else rounds or orders sums differently on another slice.
absl::Status CheckTree(const ResolvedJob& job) {
  PODSIM_RETURN_IF_ERROR(CheckMicrobatch(job));
  if (job.spec.algo() != words::Algorithm::auto_ &&
      WordOf(job.spec.algo()) != kTreeAlgorithm)
    return absl::InvalidArgumentError(absl::StrCat(
        "algo is ", WordOf(job.spec.algo()), " but reduction=tree sums by ",
        kTreeAlgorithm, "; leave algo out, or give --reduction=fused"));
  if (job.spec.wire_dtype() != words::WireType::float32)
    return absl::InvalidArgumentError(absl::StrCat(
        "wire_dtype is ", WordOf(job.spec.wire_dtype()),
        " but reduction=tree may not round between hosts; leave wire_dtype "
        "out (float32), or give --reduction=fused"));
  return absl::OkStatus();
}

}  // namespace

bool SumsAsTree(const JobSpec& spec) {
  return spec.reduction() == words::Reduction::tree;
}

absl::Status FillReduction(const ResolvedJob& job, JobPlan& plan) {
  PlanBits& bits = *plan.mutable_bits();
  bits.set_reduction(WordOf(job.spec.reduction()));
  if (!SumsAsTree(job.spec)) {
    if (!job.spec.has_microbatch_size()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("microbatch_size is ", job.spec.microbatch_size(),
                     " but reduction is ", WordOf(job.spec.reduction()),
                     "; microbatches are summed with tree only: leave it out, "
                     "or give --reduction=tree"));
  }
  PODSIM_RETURN_IF_ERROR(CheckTree(job));
  bits.set_microbatch_size(job.spec.microbatch_size());
  bits.clear_ring();
  for (int host = 0; host < job.slice.hosts; ++host) bits.add_ring(host);
  plan.add_notes(absl::StrCat(
      "tree reduction: weights are the same bits on every slice with this "
      "global batch and microbatches of ",
      FormatCount(job.spec.microbatch_size()), "; the price is ",
      FormatCount(job.slice.replicas_per_host() * MicrobatchesPerCore(bits)),
      " small products per host and layer instead of one"));
  return absl::OkStatus();
}

absl::Status CheckExamplesMeet(const ResolvedJob& job, const Program& program) {
  if (program.mixes_in_training && SumsAsTree(job.spec) &&
      job.spec.microbatch_size() < job.batch_per_core)
    return absl::InvalidArgumentError(absl::StrCat(
        "microbatch_size is ", FormatCount(job.spec.microbatch_size()),
        " but model ", program.name, " mixes the ",
        FormatCount(job.batch_per_core),
        " examples of a core; use --reduction=fused, or --microbatch_size=",
        job.batch_per_core));
  PODSIM_RETURN_IF_ERROR(
      CheckGroups(program, job.slice.hosts, job.slice.replicas_per_host()));
  if (job.spec.audit_every() == 0) return absl::OkStatus();
  for (const Segment* exchange : ExchangesOf(program))
    if (HostsOfGroup(exchange->group, job.slice.hosts,
                     job.slice.replicas_per_host()) > 1)
      return absl::InvalidArgumentError(absl::StrCat(
          "audit_every is ", job.spec.audit_every(), " but model ",
          program.name, " sums ", program.tensor(exchange->tensor).name,
          " over several hosts, and an audit computes one host's gradient "
          "alone; leave audit_every out"));
  return absl::OkStatus();
}

std::int64_t MicrobatchesPerCore(const PlanBits& bits) {
  if (bits.microbatch_size() == 0) return 0;
  return bits.batch_per_core() / bits.microbatch_size();
}

}  // namespace podsim
