// Computes another host's gradient again, from its rows and the weights of the
// step, and reports a hash of what came out.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/train/trainer_impl.h"
#include "job/audit_plan.h"

namespace podsim {

// The place of audits in `gradients`, after the local hosts.
int Trainer::Impl::AuditSlot() const { return static_cast<int>(hosts.size()); }

void Trainer::Impl::HashBucket(int local, std::span<const float> values) {
  std::uint32_t& hash = gradient_hash[local];
  hash = Crc32c(std::as_bytes(values), hash);
}

absl::Status Trainer::Impl::Audit(std::int64_t step) {
  const std::optional<int> audited = AuditedHost(setup.plan, step);
  if (!audited) return absl::OkStatus();
  TracedSpan traced = Traced(SpanKind::kOther);
  if (traced.on()) traced->name = absl::StrCat("audit of host ", *audited);
  const auto report = [&](int local, int slot) {
    GradientAudit& audit = *reports[local].add_audits();
    audit.set_host(*audited);
    audit.set_hash(gradient_hash[slot]);
  };
  const std::vector<int> auditors = AuditorsOf(setup.plan, *audited);
  for (int local = 0; local < AuditSlot(); ++local) {
    if (hosts[local] == *audited) report(local, local);
    if (std::find(auditors.begin(), auditors.end(), hosts[local]) ==
        auditors.end())
      continue;
    // Auditors that share a process each compute for themselves.
    PODSIM_RETURN_IF_ERROR(ComputeAgain(step, *audited));
    report(local, AuditSlot());
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::ComputeAgain(std::int64_t step, int host) {
  BatchPlace place = FirstPlace();
  place.consumed += (step - 1 - setup.start.step) * place.global_batch;
  place.first_core = std::int64_t{host} * bits.cores_per_host();
  place.cores = bits.cores_per_host();
  PODSIM_RETURN_IF_ERROR(
      Annotate(FillTrainBatch(*setup.dataset, bits.seed(), place, audit_batch),
               "audit's input"));
  gradient_hash[AuditSlot()] = 0;
  const HostRows run = {.batch = &audit_batch, .local = AuditSlot()};
  if (!exchanges.empty()) return ComputeTogether(step, {&run, 1});
  return ComputeAlone(step, run, nullptr);
}

}  // namespace podsim
