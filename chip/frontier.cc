#include "chip/frontier.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace podsim {
namespace {

bool ComesBefore(const FrontierPart& a, const FrontierPart& b) {
  return std::tie(a.value, a.slice) < std::tie(b.value, b.slice);
}

}  // namespace

Frontier Joined(const Frontier& a, const Frontier& b) {
  Frontier joined;
  joined.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(joined), ComesBefore);
  return joined;
}

Frontier PartOf(const Frontier& of, std::int32_t slice, double share) {
  Frontier parts;
  ForTensors(of, [&](ChipValueId value, double whole) {
    parts.push_back({value, slice, whole * share});
  });
  return parts;
}

bool IsWithin(const Frontier& part, const Frontier& of) {
  return std::all_of(part.begin(), part.end(), [&](const FrontierPart& each) {
    const auto at = std::lower_bound(
        of.begin(), of.end(), each.value,
        [](const FrontierPart& a, ChipValueId b) { return a.value < b; });
    return at != of.end() && at->value == each.value;
  });
}

std::size_t TensorsIn(const Frontier& frontier) {
  std::size_t count = 0;
  ForTensors(frontier,
             [&](ChipValueId /*value*/, double /*share*/) { ++count; });
  return count;
}

}  // namespace podsim
