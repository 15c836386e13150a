#include "runtime/job/fault_rules.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr FaultRule kRules[] = {
    {.kind = Fault::KILL, .phase = true},
    {.kind = Fault::FREEZE, .phase = true},
    {.kind = Fault::SLOW, .seconds = true, .phase = true},
    {.kind = Fault::CUT, .link = true},
    {.kind = Fault::DELAY, .link = true, .seconds = true},
    {.kind = Fault::FLIP, .link = true},
    {.kind = Fault::STORAGE_FAIL, .storage = true},
    {.kind = Fault::STORAGE_FULL, .storage = true},
    {.kind = Fault::CORRUPT_GRADIENT},
    {.kind = Fault::CORRUPT_WEIGHTS},
};

constexpr std::array<const char*, 5> kPhases = {
    "input", "compute", "all-reduce", "update", kCheckpointPhase};

}  // namespace

std::optional<FaultRule> RuleOf(int kind) {
  const auto* rule =
      std::find_if(std::begin(kRules), std::end(kRules),
                   [kind](const FaultRule& each) { return each.kind == kind; });
  if (rule == std::end(kRules)) return std::nullopt;
  return *rule;
}

std::string FaultKindNames() {
  return absl::StrJoin(kRules, ", ", [](std::string* out, const auto& rule) {
    absl::StrAppend(out, Fault::Kind_Name(rule.kind));
  });
}

std::span<const char* const> FaultPhases() { return kPhases; }

std::string DescribeFault(const Fault& fault) {
  const auto rule = RuleOf(fault.kind());
  const std::string kind =
      rule ? Fault::Kind_Name(rule->kind)
           : absl::StrCat("kind ", static_cast<int>(fault.kind()));
  std::string text = rule && rule->link
                         ? absl::StrCat(kind, " from host ", fault.host(),
                                        " to host ", fault.to())
                         : absl::StrCat(kind, " host ", fault.host());
  absl::StrAppend(&text, " at step ", fault.step());
  if (!fault.phase().empty()) {
    absl::StrAppend(&text, ", ", PrintableLine(fault.phase()));
  }
  if (rule && rule->seconds) {
    absl::StrAppend(&text, ", for ", fault.seconds(), " s");
  }
  return text;
}

}  // namespace podsim
