#include "interconnect/topology/describe.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
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

// "32 TiB", "16 GiB"; "16 GB" where a vendor counts in thousands.
std::string Hbm(std::int64_t bytes) {
  constexpr std::int64_t kTiB = 1024 * kGiB;
  constexpr std::int64_t kGB = 1'000'000'000;
  if (bytes % kTiB == 0) return absl::StrCat(bytes / kTiB, " TiB");
  if (bytes % kGiB == 0) return absl::StrCat(bytes / kGiB, " GiB");
  if (bytes % kGB == 0) return absl::StrCat(bytes / kGB, " GB");
  return absl::StrFormat("%.1f GiB", static_cast<double>(bytes) / kGiB);
}

std::string CountsText(const Slice& slice) {
  const int per_chip = slice.chip().cores_per_chip;
  return absl::StrCat(
      slice.name, ": ", FormatCounted(slice.cores, "core"), " = ",
      FormatCounted(slice.hosts, "host"), " x 1 board x ",
      FormatCounted(slice.chips_per_host(), "chip"), " x ",
      FormatCounted(per_chip, "core"), "\n\n",
      Line("chip grid",
           absl::StrCat(slice.grid_text(),
                        slice.axes == 3 ? " (x by y by z), " : " (x by y), ",
                        FormatCounted(slice.chips, "chip"))),
      Line("host grid",
           absl::StrCat(SizeText(slice.host_grid, slice.axes == 3),
                        ", a board of ", SizeText(slice.board), " chips each")),
      slice.replicas == slice.cores
          ? ""
          : Line("batch", absl::StrCat("counted per chip, whose ", per_chip,
                                       " cores act as one: ",
                                       FormatCount(slice.replicas))));
}

std::string MatrixUnits(const Slice& slice) {
  const ChipFigures& chip = slice.chip();
  return absl::StrFormat(
      "%d matrix unit%s of %dx%d at %.0f MHz: %.1f TFLOP/s in bfloat16",
      chip.matrix_units, chip.matrix_units == 1 ? "" : "s",
      chip.matrix_unit_side, chip.matrix_unit_side, chip.clock_hz / 1e6,
      chip.matrix_flops / 1e12);
}

std::string HardwareLines(const Slice& slice, int width) {
  const ChipFigures& chip = slice.chip();
  const std::int64_t hbm = chip.hbm_bytes;
  return absl::StrCat(
      Line("HBM", absl::StrFormat("%s per %s, %s per host, %s in all", Hbm(hbm),
                                  slice.replica_name(),
                                  Hbm(hbm * slice.replicas_per_host()),
                                  Hbm(hbm * slice.replicas))),
      Line(slice.replica_name(), MatrixUnits(slice)),
      Line("", absl::StrFormat("HBM at %.0f GB/s",
                               chip.hbm_bytes_per_second / 1e9)),
      Line("links", absl::StrFormat("%d per chip, %.0f GB/s each way",
                                    chip.links_per_chip,
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
  const char* how =
      slice.axes == 3
          ? "to and fro through the rows of a plane, and through the planes to "
            "and fro along that way, its first place kept for the way back"
          : "along the first row, down the rows below to and fro without the "
            "first column, up the first column";
  return absl::StrCat(Line("ring", Wrapped(words, width)),
                      Line("", Sentence(how, width)));
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
  constexpr const char* kAxes[] = {"x", "y", "z"};
  std::vector<std::string> names;
  for (int axis = 0; axis < slice.axes; ++axis)
    if (slice.wraps[axis]) names.emplace_back(kAxes[axis]);
  const bool all = static_cast<int>(names.size()) == slice.axes;
  const std::string twist = slice.twisted ? ", twisted" : "";
  if (names.empty()) return "no axis wraps";
  if (all && slice.axes == 2) return "both axes wrap";
  if (all && slice.axes == 3) return "all axes wrap" + twist;
  if (names.size() == 1) return names[0] + " wraps";
  return absl::StrJoin(names, " and ") + " wrap";
}

std::string Describe(const Slice& slice, int width) {
  const auto fitted = [width](const std::string& text) {
    return WrapText(text, width, LongWords::kOverflow);
  };
  return absl::StrCat(
      fitted(CountsText(slice)), fitted(HardwareLines(slice, width)),
      slice.axes == 3 ? "\nhosts and their chips (x,y), plane by plane\n"
                      : "\nhosts and their chips (x,y)\n",
      DrawGrid(slice, width), "\n", fitted(Ring(slice, width)),
      fitted(EnvironmentText(slice, width)));
}

}  // namespace podsim
