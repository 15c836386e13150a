#include "runtime/plan/collective_table.h"

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "runtime/bench/bandwidth.h"
#include "runtime/bench/table.h"

namespace podsim {
namespace {

constexpr double kMicroseconds = 1e6;

bool HasSeveralSlices(const std::vector<CollectiveRow>& rows) {
  for (const CollectiveRow& row : rows)
    if (row.slice.name != rows.front().slice.name) return true;
  return false;
}

std::string TypeName(const PriceRequest& request) {
  return request.element_bytes == 2 ? "bfloat16" : "float";
}

Bandwidth RowBandwidth(const CollectiveRow& row) {
  return BandwidthOf(std::string(NameOf(row.request.collective)),
                     row.request.bytes, row.price.time.seconds(),
                     row.slice.replicas);
}

double Reached(const CollectiveRow& row) {
  return row.bounds.most().seconds() / row.price.time.seconds();
}

std::string SliceText(const Slice& slice) {
  return absl::StrCat(slice.name, " (", slice.grid_text(), " chip",
                      slice.chips == 1 ? "" : "s", ", ", slice.replicas, " ",
                      slice.replica_name(), slice.replicas == 1 ? ")" : "s)");
}

// Those of one kind of wrap on one line.
std::string SlicesText(const std::vector<CollectiveRow>& rows) {
  std::vector<std::string> notes;
  std::map<std::string, std::vector<std::string>> slices;  // by note
  std::set<std::string> told;
  for (const CollectiveRow& row : rows) {
    if (!told.insert(row.slice.name).second) continue;
    std::vector<std::string>& alike = slices[row.slice.wrap_note];
    if (alike.empty()) notes.push_back(row.slice.wrap_note);
    alike.push_back(SliceText(row.slice));
  }
  std::string text;
  for (const std::string& note : notes)
    absl::StrAppend(&text, "# ", absl::StrJoin(slices[note], ", "), ": ", note,
                    "\n");
  std::set<std::string> generations;
  for (const CollectiveRow& row : rows)
    if (generations.insert(row.slice.generation).second)
      absl::StrAppend(&text, "# links of ", row.slice.generation, ": ",
                      row.slice.network_note, "\n");
  return text;
}

std::string NotTriedText(const std::vector<CollectiveRow>& rows) {
  std::string text;
  std::set<std::string> told;
  for (const CollectiveRow& row : rows) {
    for (const ChipAlgorithm algorithm : row.price.not_tried) {
      const std::string line = absl::StrCat(
          "# ", row.slice.name, ": auto left out ",
          std::string(NameOf(algorithm)),
          ", whose messages would be simulated one by one, which takes long: "
          "--ici_algorithm=",
          std::string(NameOf(algorithm)), "\n");
      if (told.insert(line).second) text += line;
    }
  }
  return text.empty() ? text : "#\n" + text;
}

std::string TextRow(const CollectiveRow& row, bool several) {
  const Bandwidth bandwidth = RowBandwidth(row);
  std::string text =
      several ? absl::StrFormat("%-14s", row.slice.name) : std::string();
  absl::StrAppendFormat(
      &text, "%12d  %12d  %8s  %9s  %6s  %6s  %16s  %10s  %5.0f%%  %9s  %9s\n",
      row.request.bytes, row.request.bytes / row.request.element_bytes,
      TypeName(row.request),
      FitFloat(row.price.time.seconds() * kMicroseconds, 9),
      FitFloat(bandwidth.algorithm, 6), FitFloat(bandwidth.bus, 6),
      std::string(NameOf(row.price.algorithm)), BoundName(row.bounds),
      100 * Reached(row), FitFloat(row.band.low.seconds() * kMicroseconds, 9),
      FitFloat(row.band.high.seconds() * kMicroseconds, 9));
  return text;
}

std::string Heading(bool several) {
  const char* const slice = several ? "# slice       " : "#";
  const char* const none = several ? "#             " : "#";
  const int size = several ? 12 : 11;
  return absl::StrCat(
      "#\n",
      absl::StrFormat("%s%*s  %12s  %8s  %9s  %6s  %6s  %16s  %10s  %6s  %9s  "
                      "%9s\n",
                      slice, size, "size", "count", "type", "time sim", "algbw",
                      "busbw", "algorithm", "bound", "of it", "low sim",
                      "high sim"),
      absl::StrFormat("%s%*s  %12s  %8s  %9s  %6s  %6s  %16s  %10s  %6s  %9s  "
                      "%9s\n",
                      none, size, "(B)", "(elements)", "", "(us)", "(GB/s)",
                      "(GB/s)", "", "", "", "(us)", "(us)"));
}

nlohmann::ordered_json FaultJson(const CollectiveRow& row) {
  const Waiting waiting = WaitingFor(row);
  const Grid grid = GridOf(row.slice);
  nlohmann::ordered_json fault;
  fault["times_as_long"] = waiting.times_as_long;
  fault["chips_that_end_later"] = waiting.chips;
  fault["last_chip"] =
      PlaceText(PlaceOf(grid.size, waiting.last), grid.size.z > 1);
  fault["later_by_us"] = waiting.by.seconds() * kMicroseconds;
  return fault;
}

nlohmann::ordered_json LinksJson(const CollectiveRow& row) {
  constexpr std::size_t kMost = 100;
  const Grid grid = GridOf(row.slice);
  auto links = nlohmann::ordered_json::array();
  for (const std::int32_t link : BusiestLinks(row.price, kMost)) {
    nlohmann::ordered_json one;
    one["link"] = LinkText(grid, link);
    one["bytes"] = row.price.sent[link];
    one["busy_us"] = row.price.busy[link].seconds() * kMicroseconds;
    links.push_back(std::move(one));
  }
  return links;
}

}  // namespace

std::string BoundName(const Bounds& bounds) {
  if (bounds.most() == SimTime()) return "none";
  if (bounds.most() == bounds.chip_links) return "chip links";
  return bounds.most() == bounds.bisection ? "bisection" : "distance";
}

std::string FormatCollectiveTable(const std::vector<CollectiveRow>& rows) {
  if (rows.empty()) return "";
  const bool several = HasSeveralSlices(rows);
  std::string text = absl::StrCat(
      "# ", std::string(NameOf(rows.front().request.collective)),
      ", all times sim: computed from the slice's links, not measured\n");
  text += SlicesText(rows);
  text += Heading(several);
  for (const CollectiveRow& row : rows) text += TextRow(row, several);
  return text + NotTriedText(rows);
}

std::string FormatCollectiveJson(const std::vector<CollectiveRow>& rows,
                                 bool links) {
  nlohmann::ordered_json all;
  all["clock"] = "sim";
  all["collective"] =
      rows.empty() ? "" : std::string(NameOf(rows.front().request.collective));
  all["results"] = nlohmann::ordered_json::array();
  for (const CollectiveRow& row : rows) {
    const Bandwidth bandwidth = RowBandwidth(row);
    nlohmann::ordered_json one;
    one["slice"] = row.slice.name;
    one["topology"] = row.slice.grid_text();
    one["chips"] = row.slice.chips;
    one["ranks"] = row.slice.replicas;
    one["size"] = row.request.bytes;
    one["count"] = row.request.bytes / row.request.element_bytes;
    one["type"] = TypeName(row.request);
    one["time_us"] = row.price.time.seconds() * kMicroseconds;
    one["alg_bw"] = bandwidth.algorithm;
    one["bus_bw"] = bandwidth.bus;
    one["algorithm"] = std::string(NameOf(row.price.algorithm));
    one["network_us"] = row.price.network.seconds() * kMicroseconds;
    one["software_us"] = row.price.software.seconds() * kMicroseconds;
    one["cores_us"] = row.price.cores.seconds() * kMicroseconds;
    one["bound"] = BoundName(row.bounds);
    one["bound_us"] = row.bounds.most().seconds() * kMicroseconds;
    one["low_us"] = row.band.low.seconds() * kMicroseconds;
    one["high_us"] = row.band.high.seconds() * kMicroseconds;
    one["network_note"] = row.slice.network_note;
    one["not_tried"] = nlohmann::ordered_json::array();
    for (const ChipAlgorithm each : row.price.not_tried)
      one["not_tried"].push_back(std::string(NameOf(each)));
    if (row.sound) one["fault"] = FaultJson(row);
    if (links) one["busiest_links"] = LinksJson(row);
    all["results"].push_back(std::move(one));
  }
  return all.dump(2) + "\n";
}

}  // namespace podsim
