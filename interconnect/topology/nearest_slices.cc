#include "interconnect/topology/nearest_slices.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/typing_distance.h"
#include "interconnect/topology/slice.h"

namespace podsim {
namespace {

// Longer text is no misspelt name, and an error is one line.
constexpr std::size_t kLongestCompared = 32;
constexpr std::size_t kMostNames = 3;
constexpr std::size_t kMostListed = 12;  // of one generation

struct NameParts {
  std::string prefix;  // "v3"
  std::int64_t count = 0;
};

std::string Lower(std::string_view typed) {
  return absl::AsciiStrToLower(std::string(typed.substr(0, kLongestCompared)));
}

// "v3-33", "v3_33", "v3 33"; nullopt if it does not look like a slice.
std::optional<NameParts> SplitName(std::string_view name) {
  const std::size_t dash = name.find_first_of("-_ ");
  if (dash == std::string_view::npos) return std::nullopt;
  NameParts parts{std::string(name.substr(0, dash))};
  const char* begin = name.data() + dash + 1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, parts.count);
  if (error != std::errc() || stop != end) return std::nullopt;
  return parts;
}

// Swapped digits name another slice.
constexpr int kSwap = 2;

const std::string& PrefixOf(const Generation& generation) {
  return generation.prefix().empty() ? generation.name() : generation.prefix();
}

// By the prefix of its slices, or by its own name: "v5e-16" means v5litepod.
const Generation* GenerationOf(const Hardware& hardware,
                               const std::string& prefix) {
  for (const Generation& generation : hardware.generations())
    if (prefix == PrefixOf(generation) || prefix == generation.name())
      return &generation;
  return nullptr;
}

// The slice in a longer name, as "v3-32" in "tpu-v3-32".
std::optional<NameParts> SplitNameIn(std::string_view name,
                                     const Hardware& hardware) {
  const auto whole = SplitName(name);
  if (whole && GenerationOf(hardware, whole->prefix) != nullptr) return whole;
  for (std::size_t at = 1; at < name.size(); ++at) {
    const auto parts = SplitName(name.substr(at));
    if (parts && GenerationOf(hardware, parts->prefix) != nullptr) return parts;
  }
  return whole;
}

std::vector<std::string> Neighbours(const Generation& generation,
                                    std::int64_t count) {
  std::vector<std::string> below_and_above;
  for (const std::string& name : SliceNamesOf(generation)) {
    const std::int64_t known = SplitName(name)->count;
    if (known <= count) {
      below_and_above.assign(1, name);  // names ascend: the last one stays
      if (known == count) return below_and_above;
    } else {
      below_and_above.push_back(name);
      break;
    }
  }
  return below_and_above;
}

// v5e and v5p of "v5".
std::vector<const Generation*> Family(const Hardware& hardware,
                                      const std::string& prefix) {
  std::vector<const Generation*> family;
  for (const Generation& generation : hardware.generations())
    if (prefix.size() > 1 && absl::StartsWith(generation.name(), prefix))
      family.push_back(&generation);
  return family;
}

// The nearest of each generation of a family.
std::vector<std::string> OfFamily(const Hardware& hardware,
                                  const NameParts& parts) {
  std::vector<std::string> names;
  for (const Generation* generation : Family(hardware, parts.prefix))
    for (std::string& name : Neighbours(*generation, parts.count))
      names.push_back(std::move(name));
  return names;
}

std::vector<std::string> SameCount(const Hardware& hardware,
                                   std::int64_t count) {
  std::vector<std::string> names;
  for (std::string& name : SliceNames(hardware))
    if (SplitName(name)->count == count) names.push_back(std::move(name));
  std::reverse(names.begin(), names.end());  // the newer generation first
  if (names.size() > kMostNames) names.resize(kMostNames);
  return names;
}

// Those whose chips form such a grid: "4x4".
std::vector<std::string> OfGrid(const Hardware& hardware,
                                std::string_view typed) {
  std::vector<std::string> names;
  for (const Generation& generation : hardware.generations())
    for (const SliceShape& slice : generation.slices())
      if (absl::StrJoin(slice.chips(), "x") == typed)
        names.push_back(slice.name());
  return names;
}

std::vector<std::string> SimilarNames(const Hardware& hardware,
                                      std::string_view typed) {
  std::vector<std::pair<int, std::string>> ranked;
  for (std::string& name : SliceNames(hardware))
    ranked.emplace_back(TypingDistance(typed, name, kSwap), std::move(name));
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (auto& [distance, name] : ranked)
    if (distance <= ranked.front().first && names.size() < kMostNames)
      names.push_back(std::move(name));
  return names;
}

std::int64_t MostIn(const Generation& generation) {
  std::int64_t most = 0;
  for (const std::string& name : SliceNamesOf(generation))
    most = std::max(most, SplitName(name)->count);
  return most;
}

const char* CountedIn(const Generation& generation) {
  return generation.name_counts() == CORES ? "cores" : "chips";
}

std::string Remark(const Hardware& hardware, std::string_view typed) {
  if (typed == "v3-16" || typed == "v2-16")
    return " (no such type was offered: slices go from one host, 8 cores, to "
           "four, 32)";
  if (!OfGrid(hardware, typed).empty())
    return absl::StrCat(" (the nearest have ", std::string(typed), " chips)");
  const auto parts = SplitName(typed);
  if (!parts) return "";
  const Generation* generation = GenerationOf(hardware, parts->prefix);
  if (generation == nullptr) {
    const auto family = Family(hardware, parts->prefix);
    return family.size() < 2
               ? ""
               : absl::StrCat(" (", parts->prefix, " is ",
                              absl::StrJoin(
                                  family, " or ",
                                  [](std::string* out, const Generation* each) {
                                    out->append(each->name());
                                  }),
                              ")");
  }
  if (parts->prefix != PrefixOf(*generation))
    return absl::StrCat(" (slices of ", generation->name(), " are called ",
                        PrefixOf(*generation), "-...)");
  const std::int64_t most = MostIn(*generation);
  if (parts->count <= most) return "";
  return absl::StrCat(" (the largest ", generation->name(), " slice has ", most,
                      " ", CountedIn(*generation), ")");
}

// "v3-8, v3-32, v3-64" of a generation's own, else "v2-8 ... v2-512, v3-8 ...
// v3-2048".
std::string All(const Hardware& hardware, std::string_view typed) {
  const auto parts = SplitName(typed);
  const Generation* own =
      parts ? GenerationOf(hardware, parts->prefix) : nullptr;
  if (own != nullptr && SliceNamesOf(*own).size() <= kMostListed)
    return absl::StrJoin(SliceNamesOf(*own), ", ");
  std::vector<std::string> ranges;
  for (const Generation& generation : hardware.generations()) {
    const std::vector<std::string> names = SliceNamesOf(generation);
    if (!names.empty())
      ranges.push_back(absl::StrCat(names.front(), " ... ", names.back()));
  }
  return absl::StrJoin(ranges, ", ");
}

}  // namespace

std::vector<std::string> NearestSlices(std::string_view typed,
                                       const Hardware& hardware) {
  const std::string name = Lower(typed);
  if (std::vector<std::string> names = OfGrid(hardware, name); !names.empty())
    return names;
  if (const auto parts = SplitNameIn(name, hardware)) {
    const Generation* generation = GenerationOf(hardware, parts->prefix);
    std::vector<std::string> names =
        generation == nullptr ? OfFamily(hardware, *parts)
                              : Neighbours(*generation, parts->count);
    if (names.empty()) names = SameCount(hardware, parts->count);
    if (!names.empty()) return names;
  }
  return SimilarNames(hardware, name);
}

absl::Status UnknownSlice(std::string_view typed, const Hardware& hardware) {
  const std::string shown =
      PrintableLine(std::string(typed.substr(0, kLongestCompared)));
  return absl::InvalidArgumentError(absl::StrCat(
      "no slice is called '", shown,
      typed.size() > kLongestCompared ? "..." : "",
      "'; nearest: ", absl::StrJoin(NearestSlices(typed, hardware), ", "),
      Remark(hardware, Lower(typed)), "; there are ",
      All(hardware, Lower(typed))));
}

}  // namespace podsim
