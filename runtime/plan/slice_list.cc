#include "runtime/plan/slice_list.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr char kTo[] = "..";

absl::StatusOr<std::vector<Slice>> SlicesFromTo(const std::string& first,
                                                const std::string& last,
                                                const SliceOptions& options) {
  // The ends alone may be twisted or not: that is asked of each below.
  const SliceOptions plain = {.hardware = options.hardware};
  PODSIM_ASSIGN_OR_RETURN(const Slice from, FindSlice(first, plain));
  PODSIM_ASSIGN_OR_RETURN(const Slice to, FindSlice(last, plain));
  const std::string range = absl::StrCat(from.name, kTo, to.name);
  if (from.generation != to.generation)
    return absl::InvalidArgumentError(absl::StrCat(
        "topology: ", range, " spans ", from.generation, " and ", to.generation,
        ": give a range for each, as in v3-8..v3-64,", "v4-8..v4-64"));
  if (from.chips > to.chips)
    return absl::InvalidArgumentError(absl::StrCat(
        "topology: ", range, " runs backwards: give the smaller slice first"));
  const Hardware& hardware =
      options.hardware == nullptr ? ShippedHardware() : *options.hardware;
  std::vector<Slice> slices;
  for (const std::string& name :
       SliceNamesOf(*FindGeneration(hardware, from.generation))) {
    PODSIM_ASSIGN_OR_RETURN(const Slice known, FindSlice(name, plain));
    if (known.chips < from.chips || known.chips > to.chips) continue;
    PODSIM_ASSIGN_OR_RETURN(Slice slice, FindSlice(name, options));
    slices.push_back(std::move(slice));
  }
  return slices;
}

}  // namespace

absl::StatusOr<std::vector<Slice>> SlicesNamed(
    const std::vector<std::string>& items, const SliceOptions& options) {
  std::vector<Slice> slices;
  for (const std::string& item : items) {
    const std::size_t to = item.find(kTo);
    if (to == std::string::npos) {
      auto slice = FindSlice(item, options);
      if (!slice.ok()) return Annotate(slice.status(), "topology");
      slices.push_back(*std::move(slice));
      continue;
    }
    PODSIM_ASSIGN_OR_RETURN(
        std::vector<Slice> range,
        SlicesFromTo(item.substr(0, to), item.substr(to + 2), options));
    for (Slice& slice : range) slices.push_back(std::move(slice));
  }
  return slices;
}

}  // namespace podsim
