// Names of a chip's values as a profile shows them: apart from the line of the
// source, and one for what several layers have alike. Pure.
#ifndef PODSIM_CHIP_VALUE_NAMES_H_
#define PODSIM_CHIP_VALUE_NAMES_H_

#include <string>
#include <string_view>

namespace podsim {

struct ValueName {
  std::string name;    // "layer_3/attention/query/matmul", "dot.12"
  std::string source;  // "train.py:41"; empty: the model does not say

  bool operator==(const ValueName&) const = default;
};

// Of ChipValue::name. An imported value's has the line that made it, as
// HloModule::PlaceOf (models/import/hlo_module.h) writes it: "Dense_0/dot.12,
// train.py:41", perhaps with the index of a result behind it.
ValueName ValueNameOf(std::string_view name);

// "dot.12, train.py:41", or the name alone.
std::string NameText(const ValueName& name);

// With '*' for each number: equal for names that differ in those alone.
std::string WithoutNumbers(std::string_view name);

// "layer_*/dense_0/matmul" of those of layers 3 and 7: '*' where the numbers
// differ. REQUIRES: WithoutNumbers of both is the same.
std::string CommonName(std::string_view a, std::string_view b);

}  // namespace podsim

#endif  // PODSIM_CHIP_VALUE_NAMES_H_
