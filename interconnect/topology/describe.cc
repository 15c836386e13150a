#include "interconnect/topology/describe.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/text_layout.h"
#include "base/units.h"
#include "interconnect/topology/environment.h"

namespace podsim {
namespace {

constexpr int kMargin = 14;  // of "  chip grid   "
// Hosts whose own environment is listed when there are more than this many.
constexpr int kListedHosts = 8;
// A ring of more hosts is cut in the middle.
constexpr int kListedRing = 64;
constexpr int kRingHead = 12;
constexpr int kRingTail = 6;
// A list of names longer than this is cut in the middle.
constexpr std::size_t kLongestValue = 100;

std::string Line(const std::string& label, const std::string& text) {
  return absl::StrFormat("  %-11s %s\n", label, text);
}

std::string Wrapped(const std::vector<std::string>& words, int width) {
  return WrapWords(words, kMargin, width);
}

std::string Sentence(const std::string& text, int width) {
  return WrapSentence(text, kMargin, width);
}

// HBM comes in whole GiB.
std::string Hbm(std::int64_t bytes) {
  return bytes % (1024 * kGiB) == 0
             ? absl::StrCat(bytes / (1024 * kGiB), " TiB")
             : absl::StrCat(bytes / kGiB, " GiB");
}

std::string Counts(const Slice& slice) {
  return absl::StrCat(
      slice.name, ": ", FormatCounted(slice.cores, "core"), " = ",
      FormatCounted(slice.hosts, "host"), " x 1 board x ", kChipsPerHost,
      " chips x ", kCoresPerChip, " cores\n\n",
      Line("chip grid",
           absl::StrFormat("%dx%d (x by y), %s chips", slice.grid.x,
                           slice.grid.y, FormatCount(slice.chips))),
      Line("host grid", absl::StrFormat("%dx%d, a board of 2x2 chips each",
                                        slice.host_grid.x, slice.host_grid.y)));
}

std::string Hardware(const Slice& slice, int width) {
  const ChipFigures& chip = slice.chip();
  const std::int64_t hbm = chip.hbm_bytes_per_core;
  return absl::StrCat(
      Line("HBM",
           absl::StrFormat("%s per core, %s per host, %s in all", Hbm(hbm),
                           Hbm(hbm * kCoresPerHost), Hbm(hbm * slice.cores))),
      Line("core", absl::StrFormat("%d matrix unit%s of 128x128 at %.0f MHz: "
                                   "%.1f TFLOP/s in bfloat16",
                                   chip.matrix_units_per_core,
                                   chip.matrix_units_per_core == 1 ? "" : "s",
                                   chip.clock_hz / 1e6,
                                   chip.matrix_flops_per_core / 1e12)),
      Line("", absl::StrFormat("HBM at %.0f GB/s",
                               chip.hbm_bytes_per_second_per_core / 1e9)),
      Line("links", absl::StrFormat("4 per chip, %.0f GB/s each way",
                                    chip.link_bytes_per_second / 1e9)),
      Line("wrap", WrapText(slice)),
      Line("", Sentence(slice.wrap_note, width)));
}

// Long rings are told, not listed: GridRing draws them by one rule.
std::string Ring(const Slice& slice, int width) {
  const std::vector<int> ring = HostRing(slice);
  if (ring.size() == 1) return Line("ring", "one host, nothing to send");
  std::vector<std::string> words;
  words.reserve(ring.size() + 1);
  for (const int host : ring) words.push_back(absl::StrCat(host, " >"));
  words.push_back(absl::StrCat(ring.front()));
  if (slice.hosts <= kListedRing) return Line("ring", Wrapped(words, width));
  words.erase(words.begin() + kRingHead, words.end() - kRingTail);
  words.insert(words.begin() + kRingHead, "... >");
  return absl::StrCat(Line("ring", Wrapped(words, width)),
                      Line("", Sentence("along the first row, down the rows "
                                        "below to and fro without the first "
                                        "column, up the first column",
                                        width)));
}

std::string Shortened(const std::string& value) {
  if (value.size() <= kLongestValue) return value;
  const std::size_t end_of_second = value.find(',', value.find(',') + 1);
  return absl::StrCat(value.substr(0, end_of_second), ",...",
                      value.substr(value.rfind(',')));
}

// Names whose values differ between the hosts.
std::set<std::string> OwnNames(const Environment& a, const Environment& b) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].second != b[i].second) names.insert(a[i].first);
  return names;
}

Environment EnvironmentOf(const Slice& slice, int host) {
  const auto environment = HostEnvironment(slice, host, {});
  PODSIM_CHECK(environment.ok());  // default addresses of a host that exists
  return *environment;
}

std::string HostLine(const Slice& slice, int host,
                     const std::set<std::string>& own, int width) {
  std::vector<std::string> words;
  for (const auto& [name, value] : EnvironmentOf(slice, host))
    if (own.count(name) > 0) words.push_back(absl::StrCat(name, "=", value));
  return Line(absl::StrCat("host ", host), Wrapped(words, width));
}

std::string EnvironmentText(const Slice& slice, int width) {
  const Environment first = EnvironmentOf(slice, 0);
  const auto own = OwnNames(first, EnvironmentOf(slice, slice.hosts - 1));
  std::string text = "\nenvironment of every host\n";
  for (const auto& [name, value] : first)
    if (own.count(name) == 0)
      absl::StrAppend(&text, "  ", name, "=", Shortened(value), "\n");
  if (slice.hosts == 1) return text;
  text += "and of each\n";
  const bool all = slice.hosts <= kListedHosts;
  for (int host = 0; host < (all ? slice.hosts : 2); ++host)
    text += HostLine(slice, host, own, width);
  if (all) return text;
  text += Line("...", absl::StrFormat("%d hosts likewise", slice.hosts - 3));
  return text + HostLine(slice, slice.hosts - 1, own, width);
}

}  // namespace

std::string WrapText(const Slice& slice) {
  if (slice.wrap_x && slice.wrap_y) return "both axes wrap";
  if (slice.wrap_x) return "x wraps";
  if (slice.wrap_y) return "y wraps";
  return "no axis wraps";
}

std::string Describe(const Slice& slice, int width) {
  const auto fitted = [width](const std::string& text) {
    return WrapText(text, width, LongWords::kOverflow);
  };
  return absl::StrCat(fitted(Counts(slice)), fitted(Hardware(slice, width)),
                      "\nhosts and their chips (x,y)\n", DrawGrid(slice, width),
                      "\n", fitted(Ring(slice, width)),
                      fitted(EnvironmentText(slice, width)));
}

}  // namespace podsim
