#include "runtime/trace/xplane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace podsim {
namespace {

namespace xp = ::tensorflow::profiler;
using ::testing::ElementsAre;

constexpr std::int64_t kStart = 1'800'000'000'000'000'000;

TraceSlice At(std::int64_t begin, std::int64_t end, const std::string& name,
              std::int64_t step) {
  return {.begin = kStart + begin,
          .end = kStart + end,
          .name = name,
          .arguments = {{"step", step}}};
}

// Two hosts, of which the second begins 50 ns later, and the simulated chips.
std::vector<TraceProcess> Processes() {
  return {{TraceClock::kWall,
           "wall: host 2",
           {{"steps", {At(0, 100, "step 20", 20), At(0, 10, "input", 20)}},
            {"core 16", {At(10, 60, "dense_1", 20)}},
            {"core 17", {At(10, 60, "dense_1", 20)}},
            {"send to host 3", {At(60, 70, "chunk 0", 20)}}}},
          {TraceClock::kWall,
           "wall: host 3",
           {{"steps", {At(50, 150, "step 20", 20)}},
            {"core 24", {At(60, 110, "dense_1", 20)}}}},
          {TraceClock::kSim,
           "sim: v3-32 cores, 8 of 32 that do the same",
           {{"steps", {At(0, 45, "step", 20), At(40, 45, "fixed cost", 20)}},
            {"core 0", {At(0, 10, "matmul", 20), At(30, 40, "update", 20)}}}},
          {TraceClock::kSim,
           "sim: v3-32 links",
           {{"link (0,0)-(1,0)", {At(12, 18, "from chip 0", 20)}}}}};
}

std::vector<std::string> PlanesOf(const HostProfile& profile) {
  std::vector<std::string> names;
  for (const xp::XPlane& plane : profile.space.planes())
    names.push_back(plane.name());
  return names;
}

const xp::XLine& LineOf(const xp::XPlane& plane, const std::string& name) {
  for (const xp::XLine& line : plane.lines())
    if (line.name() == name) return line;
  ADD_FAILURE() << "no line " << name;
  return plane.lines(0);
}

TEST(HostProfiles, AreOfHostsAndOfTheSimulatedCores) {
  const auto profiles = HostProfiles(Processes());
  ASSERT_EQ(profiles.size(), 3U);
  EXPECT_EQ(profiles[0].host, "host2");
  EXPECT_EQ(profiles[0].clock, TraceClock::kWall);
  EXPECT_THAT(PlanesOf(profiles[0]),
              ElementsAre("/device:TPU:0", "/device:TPU:1", "/host:CPU",
                          "Task Environment"));
  EXPECT_EQ(profiles[1].host, "host3");
  EXPECT_EQ(profiles[2].host, "host0");
  EXPECT_EQ(profiles[2].clock, TraceClock::kSim);
  EXPECT_THAT(PlanesOf(profiles[2]),
              ElementsAre("/device:TPU:0", "/host:CPU", "Task Environment"));
}

TEST(HostProfiles, DevicesHaveStepsByTheirNumberAndOps) {
  const auto profiles = HostProfiles(Processes());
  const xp::XPlane& device = profiles[2].space.planes(0);
  const auto name = [&](const xp::XEvent& event) {
    return device.event_metadata().at(event.metadata_id()).name();
  };
  const xp::XLine& steps = LineOf(device, "Steps");
  ASSERT_EQ(steps.events_size(), 1);
  EXPECT_EQ(name(steps.events(0)), "20");
  EXPECT_EQ(steps.events(0).duration_ps(), 45'000);
  const xp::XLine& ops = LineOf(device, "XLA Ops");
  ASSERT_EQ(ops.events_size(), 2);
  EXPECT_EQ(name(ops.events(1)), "update");
  EXPECT_EQ(ops.events(1).offset_ps(), 30'000);
  EXPECT_EQ(ops.events(1).duration_ps(), 10'000);
  const xp::XStat& stat = ops.events(1).stats(0);
  EXPECT_EQ(device.stat_metadata().at(stat.metadata_id()).name(), "group_id");
  EXPECT_EQ(stat.int64_value(), 20);
}

TEST(HostProfiles, HostsHaveTheirWritesOfCheckpoints) {
  std::vector<TraceProcess> processes = Processes();
  processes[0].tracks.push_back(
      {"checkpoint writes", {At(90, 400, "checkpoint write", 20)}});
  const auto profiles = HostProfiles(processes);
  const xp::XPlane& host = profiles[0].space.planes(2);
  ASSERT_EQ(host.name(), "/host:CPU");
  const xp::XLine& writes = LineOf(host, "checkpoint writes");
  ASSERT_EQ(writes.events_size(), 1);
  EXPECT_EQ(writes.events(0).offset_ps(), 90'000);
  EXPECT_EQ(writes.events(0).duration_ps(), 310'000);
  const xp::XStat& stat = writes.events(0).stats(0);
  EXPECT_EQ(host.stat_metadata().at(stat.metadata_id()).name(), "group_id");
  EXPECT_EQ(stat.int64_value(), 20);
}

// What XProf does not know so, it counts as idle.
TEST(HostProfiles, OpsHaveIdsOfTheirProgramAndOfTheirOwn) {
  TraceProcess process = Processes()[2];
  process.tracks[1].slices.push_back(At(60, 70, "matmul", 21));
  const auto profiles = HostProfiles({process});
  const xp::XPlane& device = profiles[0].space.planes(0);
  std::map<std::string, std::map<std::string, std::uint64_t>> numbers;
  std::map<std::string, std::string> categories;
  for (const xp::XEvent& event : LineOf(device, "XLA Ops").events()) {
    const auto& op = device.event_metadata().at(event.metadata_id());
    EXPECT_EQ(op.stats_size(), 3) << op.name();
    for (const xp::XStat& stat : op.stats()) {
      const auto& name = device.stat_metadata().at(stat.metadata_id()).name();
      if (stat.has_str_value())
        categories[name] = stat.str_value();
      else
        numbers[name][op.name()] = stat.uint64_value();
    }
  }
  EXPECT_EQ(numbers["program_id"]["matmul"], numbers["program_id"]["update"]);
  EXPECT_NE(numbers["symbol_id"]["matmul"], numbers["symbol_id"]["update"]);
  EXPECT_GT(numbers["symbol_id"]["matmul"], 0U);
  EXPECT_GT(numbers["symbol_id"]["update"], 0U);
  EXPECT_EQ(categories["hlo_category"], "compute");
  const xp::XEvent& step = LineOf(device, "Steps").events(0);
  EXPECT_EQ(device.event_metadata().at(step.metadata_id()).stats_size(), 0);
}

// Of the training thread only: what else is called so, it does not wait for.
TEST(HostProfiles, WaitsForInputAreMarked) {
  TraceProcess process = Processes()[0];
  process.tracks.push_back({"input", {At(0, 10, "input", 20)}});
  const auto profiles = HostProfiles({process});
  const xp::XPlane& host = profiles[0].space.planes(2);
  ASSERT_EQ(host.name(), "/host:CPU");
  std::vector<std::string> marked;
  for (const xp::XLine& line : host.lines())
    for (const xp::XEvent& event : line.events())
      for (const xp::XStat& stat : event.stats())
        if (host.stat_metadata().at(stat.metadata_id()).name() ==
            "_ipl_stage_name")
          marked.push_back(line.name() + ": " + stat.str_value());
  EXPECT_THAT(marked, ElementsAre("steps: input"));
}

// Hosts count from one moment, or they would not lie beside each other.
TEST(HostProfiles, OffsetsCountFromTheFirstMomentOfTheClock) {
  const auto profiles = HostProfiles(Processes());
  const xp::XLine& steps = LineOf(profiles[1].space.planes(0), "Steps");
  EXPECT_EQ(steps.timestamp_ns(), 0);
  EXPECT_EQ(steps.events(0).offset_ps(), 50'000);
  const xp::XPlane& environment =
      profiles[1].space.planes(profiles[1].space.planes_size() - 1);
  std::map<std::string, std::uint64_t> times;
  for (const xp::XStat& stat : environment.stats())
    times[environment.stat_metadata().at(stat.metadata_id()).name()] =
        stat.uint64_value();
  EXPECT_EQ(times["profile_start_time"], kStart);
  EXPECT_EQ(times["profile_stop_time"], kStart + 150);
}

TEST(HostProfiles, HaveEverySliceOfTheirProcess) {
  for (const HostProfile& profile : HostProfiles(Processes())) {
    int events = 0;
    int steps = 0;
    for (const xp::XPlane& plane : profile.space.planes())
      for (const xp::XLine& line : plane.lines()) {
        events += line.events_size();
        if (line.name() == "Steps") steps += line.events_size();
        for (const xp::XEvent& event : line.events())
          EXPECT_TRUE(plane.event_metadata().contains(event.metadata_id()));
      }
    int slices = 0;
    for (const TraceProcess& process : Processes()) {
      const std::string wall = "wall: host " + profile.host.substr(4);
      const bool is_it = profile.clock == TraceClock::kWall
                             ? process.name == wall
                             : process.name.find("cores") != std::string::npos;
      for (const TraceTrack& track : process.tracks)
        if (is_it) slices += static_cast<int>(track.slices.size());
    }
    EXPECT_EQ(events - steps, slices) << profile.host;
  }
}

}  // namespace
}  // namespace podsim
