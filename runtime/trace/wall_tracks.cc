#include "runtime/trace/wall_tracks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

// What a host has, as it comes.
struct HostSlices {
  std::vector<TraceSlice> steps;
  std::vector<TraceSlice> checkpoints;
  std::map<int, std::vector<TraceSlice>> cores;
  std::vector<TraceSlice> collectives;
  std::map<int, std::vector<TraceSlice>> sends;     // by receiver
  std::map<int, std::vector<TraceSlice>> receives;  // by sender
};

std::string SliceName(const TraceSpan& span) {
  switch (span.kind()) {
    case TraceSpan::INPUT:
      return "input";
    case TraceSpan::COMPUTE:
      return span.cores() > 0 ? span.name() : "forward and backward";
    case TraceSpan::WAIT:
      return span.peer() < 0 ? absl::StrCat("wait: ", span.name())
                             : absl::StrCat("wait for host ", span.peer(), ": ",
                                            span.name());
    case TraceSpan::CHECKPOINT:
      return "checkpoint";
    case TraceSpan::CHECKPOINT_WRITE:
      return "checkpoint write";
    case TraceSpan::EVALUATION:
      return "evaluation";
    default:
      return span.name();
  }
}

TraceSlice SliceOf(const TraceSpan& span, std::int64_t offset) {
  TraceSlice slice = {.begin = static_cast<std::int64_t>(span.begin()) + offset,
                      .end = static_cast<std::int64_t>(span.end()) + offset,
                      .name = SliceName(span),
                      .arguments = {{"step", span.step()}}};
  if (span.bytes() > 0) slice.arguments.push_back({"bytes", span.bytes()});
  if (span.kind() == TraceSpan::SEND) slice.flow_out = span.flow();
  if (span.kind() == TraceSpan::RECEIVE) slice.flow_in = span.flow();
  if (span.kind() == TraceSpan::COLLECTIVE && span.peer() >= 0)
    slice.arguments.push_back({"last host", std::int64_t{span.peer()}});
  if (span.cores() > 1)
    slice.arguments.push_back(
        {"cores of the host as one",
         absl::StrCat(span.core(), "-", span.core() + span.cores() - 1)});
  if (span.hosts() > 1)
    slice.arguments.push_back(
        {"hosts of the process as one",
         absl::StrCat(span.host(), "-", span.host() + span.hosts() - 1)});
  return slice;
}

void Add(const TraceSpan& span, const TracePart& part,
         std::map<int, HostSlices>& hosts) {
  for (int host = span.host(); host < span.host() + span.hosts(); ++host) {
    HostSlices& of_host = hosts[host];
    TraceSlice slice = SliceOf(span, part.offset_ns());
    if (span.kind() == TraceSpan::COLLECTIVE) {
      of_host.collectives.push_back(std::move(slice));
    } else if (span.kind() == TraceSpan::CHECKPOINT_WRITE) {
      of_host.checkpoints.push_back(std::move(slice));
    } else if (span.kind() == TraceSpan::SEND) {
      of_host.sends[span.peer()].push_back(std::move(slice));
    } else if (span.kind() == TraceSpan::RECEIVE) {
      of_host.receives[span.peer()].push_back(std::move(slice));
    } else if (span.cores() == 0) {
      of_host.steps.push_back(std::move(slice));
    } else {
      const int first = host * part.cores_per_host() + span.core();
      for (int core = first; core < first + span.cores(); ++core)
        of_host.cores[core].push_back(slice);
    }
  }
}

void Append(std::vector<TraceTrack> tracks, std::vector<TraceTrack>& to) {
  std::move(tracks.begin(), tracks.end(), std::back_inserter(to));
}

TraceProcess ProcessOfHost(int host, HostSlices slices) {
  TraceProcess process = {.clock = TraceClock::kWall,
                          .name = absl::StrCat("wall: host ", host),
                          .tracks = {}};
  std::vector<TraceTrack>& tracks = process.tracks;
  Append(InTracks("steps", std::move(slices.steps), Nesting::kNested), tracks);
  Append(InTracks("checkpoint writes", std::move(slices.checkpoints),
                  Nesting::kDisjoint),
         tracks);
  for (auto& [core, of_core] : slices.cores)
    Append(InTracks(absl::StrCat("core ", core), std::move(of_core),
                    Nesting::kDisjoint),
           tracks);
  Append(InTracks("collectives", std::move(slices.collectives),
                  Nesting::kDisjoint),
         tracks);
  for (auto& [peer, sent] : slices.sends)
    Append(InTracks(absl::StrCat("send to host ", peer), std::move(sent),
                    Nesting::kDisjoint),
           tracks);
  for (auto& [peer, received] : slices.receives)
    Append(InTracks(absl::StrCat("receive from host ", peer),
                    std::move(received), Nesting::kDisjoint),
           tracks);
  return process;
}

}  // namespace

std::vector<TraceProcess> WallTracks(const std::vector<TracePart>& parts) {
  std::map<int, HostSlices> hosts;
  for (const TracePart& part : parts)
    for (const TraceSpan& span : part.spans()) Add(span, part, hosts);
  std::vector<TraceProcess> processes;
  for (auto& [host, slices] : hosts)
    processes.push_back(ProcessOfHost(host, std::move(slices)));
  return processes;
}

std::set<std::int64_t> StepsOf(const std::vector<TracePart>& parts) {
  std::set<std::int64_t> steps;
  for (const TracePart& part : parts)
    for (const TraceSpan& span : part.spans()) steps.insert(span.step());
  return steps;
}

std::optional<std::int64_t> FirstMomentOf(const std::vector<TracePart>& parts) {
  const std::set<std::int64_t> steps = StepsOf(parts);
  std::optional<std::int64_t> first;
  for (const TracePart& part : parts)
    for (const TraceSpan& span : part.spans()) {
      if (span.step() != *steps.begin()) continue;
      const std::int64_t begin =
          static_cast<std::int64_t>(span.begin()) + part.offset_ns();
      first = std::min(first.value_or(begin), begin);
    }
  return first;
}

}  // namespace podsim
