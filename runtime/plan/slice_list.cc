#include "runtime/plan/slice_list.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr char kTo[] = "..";
constexpr std::size_t kLongestShown = 64;

absl::StatusOr<std::vector<Slice>> SlicesFromTo(const std::string& first,
                                                const std::string& last,
                                                const SliceOptions& options) {
  // The ends alone may be twisted or not: that is asked of each below.
  const SliceOptions plain = {.hardware = options.hardware};
  const auto end = [&plain](const std::string& name) {
    auto slice = FindSlice(name, plain);
    if (slice.ok()) return slice;
    return absl::StatusOr<Slice>(Annotate(slice.status(), "topology"));
  };
  PODSIM_ASSIGN_OR_RETURN(const Slice from, end(first));
  PODSIM_ASSIGN_OR_RETURN(const Slice to, end(last));
  const std::string range = absl::StrCat(from.name, kTo, to.name);
  if (from.generation != to.generation)
    return absl::InvalidArgumentError(absl::StrCat(
        "topology: ", range, " spans ", from.generation, " and ", to.generation,
        ": give a range for each, as in v3-8..v3-64,v4-8..v4-64"));
  if (from.chips > to.chips)
    return absl::InvalidArgumentError(absl::StrCat(
        "topology: ", range, " runs backwards: give the smaller slice first, ",
        to.name, kTo, from.name));
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

absl::Status BadRange(const std::string& item, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "topology: '", PrintableLine(item.substr(0, kLongestShown)), "' ", why,
      "; a range is written FIRST..LAST, as in v3-8..v3-64"));
}

// "v3-8, v3-32" is a list of two, one of which begins with a blank.
absl::Status CheckNoBlankAround(const std::string& item,
                                const std::vector<std::string>& items) {
  if (absl::StripAsciiWhitespace(item) == item) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "topology: '", PrintableLine(item.substr(0, kLongestShown)),
      "' has a blank before or behind it; write the list without, ",
      PrintableLine(absl::StrReplaceAll(absl::StrJoin(items, ","),
                                        {{" ", ""}, {"\t", ""}}))));
}

absl::StatusOr<std::vector<Slice>> SlicesInRange(const std::string& item,
                                                 const SliceOptions& options) {
  if (item.find_first_of(" \t") != std::string::npos)
    return BadRange(
        item, absl::StrCat("has blanks in it: write ",
                           absl::StrReplaceAll(item.substr(0, kLongestShown),
                                               {{" ", ""}, {"\t", ""}})));
  const std::size_t to = item.find(kTo);
  const std::string first = item.substr(0, to);
  const std::string last = item.substr(to + sizeof(kTo) - 1);
  if (first.empty() || last.empty())
    return BadRange(
        item,
        absl::StrCat("has no ", first.empty() ? "first" : "last", " slice"));
  if (last.front() == '.') return BadRange(item, "has more than two dots");
  if (last.find(kTo) != std::string::npos)
    return BadRange(item, "has more than two ends");
  if (last.find_first_not_of("0123456789") == std::string::npos)
    return BadRange(item,
                    absl::StrCat("ends with ", last.substr(0, kLongestShown),
                                 ", which is no slice's name"));
  return SlicesFromTo(first, last, options);
}

}  // namespace

absl::StatusOr<std::vector<Slice>> SlicesNamed(
    const std::vector<std::string>& items, const SliceOptions& options) {
  std::vector<Slice> slices;
  for (const std::string& item : items) {
    PODSIM_RETURN_IF_ERROR(CheckNoBlankAround(item, items));
    if (item.find(kTo) == std::string::npos) {
      if (item.find(':') != std::string::npos)
        return BadRange(item, "is no slice's name");
      if (item.find('*') != std::string::npos)
        return BadRange(item, "is a pattern, which no slice is called");
      auto slice = FindSlice(item, options);
      // "v3-8 v3-64", "v3-8-v3-64".
      if (!slice.ok() && std::count(item.begin(), item.end(), 'v') > 1)
        return BadRange(item, "is no slice's name, and a list has commas");
      if (!slice.ok() && item == "all")
        return BadRange(item, "is no slice's name");
      if (!slice.ok()) return Annotate(slice.status(), "topology");
      slices.push_back(*std::move(slice));
      continue;
    }
    PODSIM_ASSIGN_OR_RETURN(std::vector<Slice> range,
                            SlicesInRange(item, options));
    for (Slice& slice : range) slices.push_back(std::move(slice));
  }
  return slices;
}

absl::Status CheckNoneTwice(const std::vector<Slice>& slices) {
  std::set<std::string> names;
  for (const Slice& slice : slices)
    if (!names.insert(slice.name).second)
      return absl::InvalidArgumentError(
          absl::StrCat("topology names ", slice.name,
                       " twice, by itself or in a range: leave one out"));
  return absl::OkStatus();
}

}  // namespace podsim
