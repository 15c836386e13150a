#include "runtime/plan/collective_table.h"

#include <initializer_list>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/text_table.h"
#include "nlohmann/json.hpp"
#include "runtime/bench/bandwidth.h"
#include "runtime/bench/table.h"
#include "runtime/plan/left_out_text.h"

namespace podsim {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr int kTimeDigits = 9;

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
std::string SlicesText(const std::vector<CollectiveRow>& rows, int columns) {
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
    text += CommentText(
        absl::StrCat(absl::StrJoin(slices[note], ", "), ": ", note), columns);
  std::set<std::string> generations;
  for (const CollectiveRow& row : rows)
    if (generations.insert(row.slice.generation).second)
      text += CommentText(absl::StrCat("links of ", row.slice.generation, ": ",
                                       row.slice.network_note),
                          columns);
  return text;
}

std::string NotTriedText(const std::vector<CollectiveRow>& rows, int columns) {
  std::string text;
  std::set<std::string> told;
  for (const CollectiveRow& row : rows) {
    for (const ChipAlgorithm algorithm : row.price.not_tried) {
      const std::string name(NameOf(algorithm));
      const std::string line = CommentText(
          absl::StrCat(row.slice.name, ": auto left out ", name,
                       ", whose messages would be simulated one by one, which "
                       "takes long: --ici_algorithm=",
                       name),
          columns);
      if (told.insert(line).second) text += line;
    }
  }
  return text.empty() ? text : "#\n" + text;
}

std::string Microseconds(SimTime time) {
  const std::string text =
      FitFloat(time.seconds() * kMicroseconds, kTimeDigits);
  return text.substr(text.find_first_not_of(' '));
}

std::vector<std::string> PriceCells(const CollectiveRow& row) {
  const Bandwidth bandwidth = RowBandwidth(row);
  return {absl::StrCat(row.request.bytes),
          absl::StrCat(row.request.bytes / row.request.element_bytes),
          TypeName(row.request),
          Microseconds(row.price.time),
          FitFloat(bandwidth.algorithm, 6),
          FitFloat(bandwidth.bus, 6),
          std::string(NameOf(row.price.algorithm)),
          BoundName(row.bounds),
          absl::StrFormat("%.0f%%", 100 * Reached(row)),
          absl::StrCat(Microseconds(row.band.low), " to ",
                       Microseconds(row.band.high))};
}

// Ranks: what is left out first on a narrow screen.
TextTable PriceTable(const std::vector<CollectiveRow>& rows) {
  const bool several = HasSeveralSlices(rows);
  TextTable table;
  if (several) table.columns.push_back({.name = "slice", .left = true});
  for (const TableColumn& column : std::initializer_list<TableColumn>{
           {.name = "size", .unit = "(B)"},
           {.name = "count", .unit = "(elements)", .rank = 4},
           {.name = "type", .rank = 5},
           {.name = "time sim", .unit = "(us)"},
           {.name = "algbw", .unit = "(GB/s)", .rank = 3},
           {.name = "busbw", .unit = "(GB/s)"},
           {.name = "algorithm"},
           {.name = "bound", .rank = 1},
           {.name = "of it", .rank = 2},
           {.name = "low to high sim", .unit = "(us)", .rank = 6}})
    table.columns.push_back(column);
  for (const CollectiveRow& row : rows) {
    std::vector<std::string> cells = PriceCells(row);
    if (several) cells.insert(cells.begin(), row.slice.name);
    table.rows.push_back(std::move(cells));
  }
  return table;
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

std::string FormatCollectiveTable(const std::vector<CollectiveRow>& rows,
                                  int columns) {
  if (rows.empty()) return "";
  const TableText table = FormatTable(PriceTable(rows), columns);
  return absl::StrCat(
      CommentText(
          absl::StrCat(std::string(NameOf(rows.front().request.collective)),
                       ", all times sim: computed from the slice's links, not "
                       "measured"),
          columns),
      SlicesText(rows, columns), "#\n", table.text,
      LeftOutText(table.left_out, columns), NotTriedText(rows, columns));
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
