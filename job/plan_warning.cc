#include "job/plan_warning.h"

#include <algorithm>

namespace podsim {

void AddWarning(const std::string& kind, const std::string& text,
                JobPlan& plan) {
  PlanWarning& warning = *plan.add_warnings();
  warning.set_kind(kind);
  warning.set_text(text);
}

bool HasWarning(const JobPlan& plan, const std::string& kind) {
  return std::any_of(
      plan.warnings().begin(), plan.warnings().end(),
      [&](const PlanWarning& warning) { return warning.kind() == kind; });
}

std::vector<std::string> WarningTexts(const JobPlan& plan) {
  std::vector<std::string> texts;
  texts.reserve(plan.warnings().size());
  for (const PlanWarning& warning : plan.warnings())
    texts.push_back(warning.text());
  return texts;
}

std::string BriefWarning(const PlanWarning& warning) {
  return warning.text().substr(0, warning.text().find(": "));
}

}  // namespace podsim
