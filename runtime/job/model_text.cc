#include "runtime/job/model_text.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/zoo/model_numbers.h"
#include "models/zoo/zoo.h"

namespace podsim {

std::string ModelText(const PlanBits& bits) {
  const ModelConfig& model = bits.model();
  if (model.classes() == 0)  // of a file: it has no widths to name
    return absl::StrCat(model.name(), " on ", bits.dataset().name());
  if (IsPlanned(model.name())) {
    const std::string numbers = NumbersText(model);
    return absl::StrCat(model.name(), numbers.empty() ? "" : " ", numbers,
                        " on ", bits.dataset().name());
  }
  std::int64_t features = 1;
  for (const std::int32_t side : model.example_shape()) features *= side;
  std::vector<std::int64_t> widths = {features};
  widths.insert(widths.end(), model.hidden().begin(), model.hidden().end());
  widths.push_back(model.classes());
  return absl::StrCat(model.name(), " ", absl::StrJoin(widths, "-"), " on ",
                      bits.dataset().name());
}

}  // namespace podsim
