#include "interconnect/topology/nearest_slices.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/typing_distance.h"
#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

// Longer text is no misspelt name, and an error is one line.
constexpr std::size_t kLongestName = 32;
constexpr std::size_t kMostNames = 3;

struct NameParts {
  std::string generation;  // "v3"
  std::int64_t cores = 0;
};

std::string Lower(std::string_view typed) {
  return absl::AsciiStrToLower(std::string(typed.substr(0, kLongestName)));
}

// "v3-33", "v3_33", "v3 33"; nullopt if it does not look like a slice.
std::optional<NameParts> SplitName(std::string_view name) {
  const std::size_t dash = name.find_first_of("-_ ");
  if (dash == std::string_view::npos) return std::nullopt;
  NameParts parts{std::string(name.substr(0, dash))};
  const char* begin = name.data() + dash + 1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, parts.cores);
  if (error != std::errc() || stop != end) return std::nullopt;
  return parts;
}

// Swapped digits name another slice.
constexpr int kSwap = 2;

std::vector<std::string> Neighbours(const NameParts& typed) {
  std::vector<std::string> below_and_above;
  for (const std::string& name : SliceNames()) {
    const NameParts parts = *SplitName(name);
    if (parts.generation != typed.generation) continue;
    if (parts.cores <= typed.cores)
      below_and_above.assign(1, name);  // names ascend: the last one stays
    else {
      below_and_above.push_back(name);
      break;
    }
  }
  return below_and_above;
}

std::vector<std::string> SameCores(std::int64_t cores) {
  std::vector<std::string> names;
  for (std::string& name : SliceNames())
    if (SplitName(name)->cores == cores) names.push_back(std::move(name));
  std::reverse(names.begin(), names.end());  // the newer generation first
  return names;
}

std::vector<std::string> SimilarNames(std::string_view typed) {
  std::vector<std::pair<int, std::string>> ranked;
  for (std::string& name : SliceNames())
    ranked.emplace_back(TypingDistance(typed, name, kSwap), std::move(name));
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (auto& [distance, name] : ranked)
    if (distance <= ranked.front().first && names.size() < kMostNames)
      names.push_back(std::move(name));
  return names;
}

std::string Remark(std::string_view typed) {
  if (typed == "v3-16" || typed == "v2-16")
    return " (no such type was offered: slices go from one host, 8 cores, to "
           "four, 32)";
  const auto parts = SplitName(typed);
  if (parts && (parts->generation == "v2" || parts->generation == "v3")) {
    const ChipFigures& chip = FiguresOf(parts->generation);
    const int cores = chip.pod_x * chip.pod_y * kCoresPerChip;
    if (parts->cores > cores)
      return absl::StrCat(" (a full ", chip.name, " pod has ", cores,
                          " cores)");
  }
  return "";
}

}  // namespace

std::vector<std::string> NearestSlices(std::string_view typed) {
  const std::string name = Lower(typed);
  if (const auto parts = SplitName(name)) {
    std::vector<std::string> names = Neighbours(*parts);
    if (names.empty()) names = SameCores(parts->cores);
    if (!names.empty()) return names;
  }
  return SimilarNames(name);
}

absl::Status UnknownSlice(std::string_view typed) {
  const std::string shown =
      absl::CHexEscape(std::string(typed.substr(0, kLongestName)));
  return absl::InvalidArgumentError(absl::StrCat(
      "no slice is called '", shown, typed.size() > kLongestName ? "..." : "",
      "'", Remark(Lower(typed)),
      "; nearest: ", absl::StrJoin(NearestSlices(typed), ", "),
      "; v2 slices have 8, 32, 128, 256 or 512 cores, v3 slices 8, 32, 64, "
      "128, 256, 512, 1024 or 2048"));
}

}  // namespace podsim
