#include "interconnect/collectives/element.h"

#include <array>

#include "base/status.h"

namespace podsim {
namespace {
constexpr std::array<std::string_view, 3> kTypeNames = {"float", "bfloat16",
                                                        "int32"};
constexpr std::array<std::string_view, 4> kOpNames = {"sum", "prod", "min",
                                                      "max"};
}  // namespace

std::string_view NameOf(ElementType type) {
  return kTypeNames.at(static_cast<std::size_t>(type));
}
std::string_view NameOf(ReductionOp op) {
  return kOpNames.at(static_cast<std::size_t>(op));
}
std::optional<ElementType> ElementTypeNamed(std::string_view name) {
  for (std::size_t i = 0; i < kTypeNames.size(); ++i) {
    if (kTypeNames[i] == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}
std::optional<ReductionOp> ReductionOpNamed(std::string_view name) {
  for (std::size_t i = 0; i < kOpNames.size(); ++i) {
    if (kOpNames[i] == name) return static_cast<ReductionOp>(i);
  }
  return std::nullopt;
}

}  // namespace podsim
