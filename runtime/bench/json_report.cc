#include "runtime/bench/json_report.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/bench/bandwidth.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Keeps the keys in the order in which they are written here.
using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;  // of nccl-tests' layout
constexpr double kMicroseconds = 1e6;

const char* Truth(bool holds) { return holds ? "true" : "false"; }

Json ConfigJson(const BenchSpec& spec) {
  Json config = {{"nthreads", 1},
                 {"ngpus", 1},
                 {"minimum_bytes", spec.minbytes()},
                 {"maximum_bytes", spec.maxbytes()}};
  if (spec.stepfactor() > 1) {
    config["step_factor"] = spec.stepfactor();
  } else {
    config["step_bytes"] = spec.stepbytes();
  }
  config.update({{"warmup_iters", spec.warmup_iters()},
                 {"iterations", spec.iters()},
                 {"aggregated_iterations", spec.agg_iters()},
                 {"validation", spec.check()},
                 {"graph", 0},
                 {"blocking_collectives", Truth(spec.blocking() != 0)},
                 {"per_iter_timing", Truth(spec.per_iter_timing())},
                 {"per_iter_skip", spec.per_iter_skip()},
                 {"average", spec.average()},
                 {"collective", WordOf(spec.collective())},
                 {"wire_dtype", WordOf(spec.wire_dtype())}});
  return config;
}

Json DevicesJson(const std::vector<RankDevice>& devices) {
  Json list = Json::array();
  for (const RankDevice& device : devices) {
    list.push_back({{"rank", device.rank},
                    {"group", 0},
                    {"pid", device.pid},
                    {"hostname", device.hostname},
                    {"device", device.device},
                    {"device_hex", device.place},
                    {"device_info", device.name}});
  }
  return list;
}

Json TimingJson(const BenchTiming& timing, const BenchRow& row,
                const std::string& collective) {
  const Bandwidth bandwidth =
      BandwidthOf(collective, row.bytes(), timing.seconds(), row.ranks());
  Json json = {{"time", timing.seconds() * kMicroseconds},
               {"alg_bw", bandwidth.algorithm},
               {"bus_bw", bandwidth.bus},
               {"nwrong", nullptr},
               {"median", timing.median_seconds() * kMicroseconds},
               {"min", timing.min_seconds() * kMicroseconds},
               {"max", timing.max_seconds() * kMicroseconds},
               {"p99", timing.p99_seconds() * kMicroseconds}};
  if (timing.wrong() >= 0) json["nwrong"] = timing.wrong();
  return json;
}

Json IterationsJson(const BenchTiming& timing) {
  Json times = Json::array();
  for (const double seconds : timing.iteration_seconds()) {
    times.push_back(seconds * kMicroseconds);
  }
  return {{"min_us", timing.min_seconds() * kMicroseconds},
          {"max_us", timing.max_seconds() * kMicroseconds},
          {"p50_us", timing.median_seconds() * kMicroseconds},
          {"p99_us", timing.p99_seconds() * kMicroseconds},
          {"cv_pct", timing.variation_percent()},
          {"times_us", std::move(times)}};
}

Json RowJson(const BenchRow& row, const BenchSpec& spec) {
  Json json = {
      {"size", row.bytes()},
      {"count", row.count()},
      {"type", row.datatype()},
      {"redop", row.op()},
      {"root", absl::StrFormat("%6d", row.root())},
      {"out_of_place",
       TimingJson(row.out_of_place(), row, WordOf(spec.collective()))},
      {"in_place", TimingJson(row.in_place(), row, WordOf(spec.collective()))}};
  if (spec.per_iter_timing()) {
    json["out_of_place_per_iter"] = IterationsJson(row.out_of_place());
    json["in_place_per_iter"] = IterationsJson(row.in_place());
  }
  json["actual_iterations"] = spec.iters();
  json["experiment_name"] = WordOf(spec.collective());
  json["algorithm"] = row.algorithm();
  json["row"] = row.row();
  json["ranks"] = row.ranks();
  json["peak_bytes"] = row.peak_bytes();
  return json;
}

Json SimJson(const SimPrice& sim) {
  if (!sim.missing.empty()) return {{"missing", sim.missing}};
  return {{"time", sim.seconds * kMicroseconds},
          {"bus_bw", sim.bus},
          {"ranks", sim.ranks},
          {"algorithm", sim.algorithm}};
}

}  // namespace

SimPrice SimOf(const BenchRecord& record, const BenchRow& row) {
  if (record.sim.empty()) return {};
  return record.sim[static_cast<std::size_t>(row.row()) % record.sim.size()];
}

std::string BenchJson(const BenchRecord& record) {
  const JobPlan& plan = record.plan;
  const BenchSpec& spec = plan.spec().bench();
  Json json = {
      {"version", kVersion},
      {"start_time", record.start_time},
      {"args", record.arguments},
      {"env", record.environment},
      {"machine",
       {{"hostname", record.hostname},
        {"cpu", record.cpu},
        {"cpus", record.cpus}}},
      {"build", record.build},
      {"clock", "wall"},
      {"topology", plan.bits().slice()},
      {"hosts", plan.bits().hosts()},
      {"ranks", WordOf(spec.ranks())},
      {"processes", plan.spec().processes()},
      {"transport",
       record.external_hosts ? "external" : WordOf(plan.spec().transport())},
      {"chunk_bytes", plan.chunk_elements() * 4},
      {"notes",
       std::vector<std::string>(plan.notes().begin(), plan.notes().end())},
      {"config", ConfigJson(spec)},
      {"devices", DevicesJson(record.devices)}};
  // Some readers look for the devices within the config.
  json["config"]["devices"] = json["devices"];
  Json results = Json::array();
  for (const BenchRow& row : record.rows) {
    Json one = RowJson(row, spec);
    if (!record.sim.empty()) one["sim"] = SimJson(SimOf(record, row));
    results.push_back(std::move(one));
  }
  json["results"] = std::move(results);
  json["out_of_bounds"] = {{"count", record.wrong},
                           {"okay", Truth(record.wrong == 0)}};
  const double wanted = record.smallest_bandwidth;
  json["average_bus_bandwidth"] = {
      {"bandwidth", record.average_bandwidth},
      {"okay", wanted < 0 ? "unchecked"
                          : Truth(record.average_bandwidth >= 0.9 * wanted)}};
  json["errors"] = record.errors;
  json["end_time"] = record.end_time;
  // Bytes that are not UTF-8 (in an argument, say) must not end a run.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace podsim
