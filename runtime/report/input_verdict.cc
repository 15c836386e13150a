#include "runtime/report/input_verdict.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace podsim {

const char* InputVerdict(double waiting) {
  if (waiting >= kHighlyInputBound) return "HIGHLY input-bound";
  return waiting >= kModeratelyInputBound ? "MODERATELY input-bound"
                                          : "NOT input-bound";
}

std::string InputVerdictText(std::optional<double> sim,
                             std::optional<double> wall, bool percents) {
  if (sim && wall && !percents &&
      std::string_view(InputVerdict(*sim)) == InputVerdict(*wall))
    return absl::StrCat(InputVerdict(*sim), " sim and wall");
  std::vector<std::string> texts;
  const auto add = [&](std::optional<double> waiting, const char* clock) {
    if (!waiting) return;
    texts.push_back(absl::StrCat(
        InputVerdict(*waiting), " ", clock,
        percents ? absl::StrFormat(" (%.1f%%)", 100 * *waiting) : ""));
  };
  add(sim, "sim");
  add(wall, "wall");
  return absl::StrJoin(texts, ", ");
}

}  // namespace podsim
