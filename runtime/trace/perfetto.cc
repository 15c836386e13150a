#include "runtime/trace/perfetto.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <variant>

#include "proto/third_party/perfetto/perfetto_trace.pb.h"

namespace podsim {
namespace {

namespace pb = ::perfetto::protos;

// All packets are of one writer; the number says nothing else.
constexpr std::uint32_t kSequence = 1;
// Packets that are kept as messages before they become bytes.
constexpr int kBatch = 4096;

class PerfettoWriter {
 public:
  std::string Write(const std::vector<TraceProcess>& processes) {
    AddClocks(processes);
    for (const TraceProcess& process : processes) AddProcess(process);
    Flush();
    return std::move(bytes_);
  }

 private:
  using Numbers = std::map<std::string, std::uint64_t>;

  pb::TracePacket& NewPacket() {
    if (trace_.packet_size() == kBatch) Flush();
    pb::TracePacket& packet = *trace_.add_packet();
    packet.set_trusted_packet_sequence_id(kSequence);
    packet.set_sequence_flags(
        is_first_ ? pb::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED
                  : pb::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
    is_first_ = false;
    return packet;
  }

  // A message's bytes behind another's are those of both joined.
  void Flush() {
    trace_.AppendToString(&bytes_);
    trace_.Clear();
  }

  // One moment by the clock of the timestamps and by that of the wall: the
  // same.
  void AddClocks(const std::vector<TraceProcess>& processes) {
    auto first = std::numeric_limits<std::int64_t>::max();
    for (const TraceProcess& process : processes)
      for (const TraceTrack& track : process.tracks)
        for (const TraceSlice& slice : track.slices)
          first = std::min(first, slice.begin);
    if (first == std::numeric_limits<std::int64_t>::max()) first = 0;
    pb::ClockSnapshot& snapshot = *NewPacket().mutable_clock_snapshot();
    for (const pb::BuiltinClock clock :
         {pb::BUILTIN_CLOCK_BOOTTIME, pb::BUILTIN_CLOCK_REALTIME}) {
      pb::ClockSnapshot::Clock& one = *snapshot.add_clocks();
      one.set_clock_id(clock);
      one.set_timestamp(static_cast<std::uint64_t>(first));
    }
    snapshot.set_primary_trace_clock(pb::BUILTIN_CLOCK_BOOTTIME);
  }

  // No process of Perfetto's: its UI writes the pid behind a process's name,
  // sorts processes by how many slices they have, and the tracks of one by
  // name, core 10 before core 8. A track without slices is a group there, in
  // the order of its rank if that above it says so.
  void AddProcess(const TraceProcess& process) {
    const std::string clock = NameOf(process.clock);
    const std::uint64_t uuid =
        AddGroup(process.name, GroupOf(clock), ++processes_);
    std::int32_t rank = 0;
    for (const TraceTrack& track : process.tracks)
      AddTrack(track, uuid, clock, rank++);
  }

  static std::string NameOf(TraceClock clock) {
    return clock == TraceClock::kSim ? "sim" : "wall";
  }

  // That of a clock. Groups that lie in none stand by name in the UI.
  std::uint64_t GroupOf(const std::string& clock) {
    std::uint64_t& group = groups_[clock];
    if (group == 0) group = AddGroup(clock, std::nullopt, 0);
    return group;
  }

  std::uint64_t AddGroup(const std::string& name,
                         std::optional<std::uint64_t> parent,
                         std::int32_t rank) {
    pb::TrackDescriptor& descriptor = *NewPacket().mutable_track_descriptor();
    descriptor.set_uuid(++tracks_);
    if (parent) descriptor.set_parent_uuid(*parent);
    descriptor.set_name(name);
    descriptor.set_sibling_order_rank(rank);
    descriptor.set_child_ordering(pb::TrackDescriptor::EXPLICIT);
    return tracks_;
  }

  void AddTrack(const TraceTrack& track, std::uint64_t group,
                const std::string& clock, std::int32_t rank) {
    const std::uint64_t uuid = ++tracks_;
    pb::TrackDescriptor& descriptor = *NewPacket().mutable_track_descriptor();
    descriptor.set_uuid(uuid);
    descriptor.set_parent_uuid(group);
    descriptor.set_name(track.name);
    descriptor.set_sibling_order_rank(rank);
    std::vector<std::int64_t> open;  // where the slices end that have begun
    const auto close = [&](std::int64_t until) {
      for (; !open.empty() && open.back() <= until; open.pop_back())
        End(uuid, open.back());
    };
    for (const TraceSlice& slice : track.slices) {
      close(slice.begin);
      Begin(uuid, slice, clock);
      open.push_back(slice.end);
    }
    close(std::numeric_limits<std::int64_t>::max());
  }

  void Begin(std::uint64_t track, const TraceSlice& slice,
             const std::string& clock) {
    pb::TracePacket& packet = NewPacket();
    packet.set_timestamp(static_cast<std::uint64_t>(slice.begin));
    pb::TrackEvent& event = *packet.mutable_track_event();
    event.set_type(pb::TrackEvent::TYPE_SLICE_BEGIN);
    event.set_track_uuid(track);
    event.set_name_iid(Interned(slice.name, names_, packet,
                                &pb::InternedData::add_event_names));
    event.add_category_iids(Interned(clock, categories_, packet,
                                     &pb::InternedData::add_event_categories));
    for (const TraceArgument& argument : slice.arguments) {
      pb::DebugAnnotation& annotation = *event.add_debug_annotations();
      annotation.set_name_iid(
          Interned(argument.name, arguments_, packet,
                   &pb::InternedData::add_debug_annotation_names));
      if (const auto* number = std::get_if<std::int64_t>(&argument.value))
        annotation.set_int_value(*number);
      else
        annotation.set_string_value(std::get<std::string>(argument.value));
    }
    if (slice.flow_out != 0) event.add_flow_ids(slice.flow_out);
    if (slice.flow_in != 0) event.add_terminating_flow_ids(slice.flow_in);
  }

  void End(std::uint64_t track, std::int64_t at) {
    pb::TracePacket& packet = NewPacket();
    packet.set_timestamp(static_cast<std::uint64_t>(at));
    packet.mutable_track_event()->set_type(pb::TrackEvent::TYPE_SLICE_END);
    packet.mutable_track_event()->set_track_uuid(track);
  }

  // The number of a text; told with the packet that has it first.
  template <typename Entry>
  static std::uint64_t Interned(const std::string& text, Numbers& numbers,
                                pb::TracePacket& packet,
                                Entry* (pb::InternedData::*add)()) {
    const auto [at, is_new] = numbers.try_emplace(text, numbers.size() + 1);
    if (is_new) {
      Entry* const entry = (packet.mutable_interned_data()->*add)();
      entry->set_iid(at->second);
      entry->set_name(text);
    }
    return at->second;
  }

  pb::Trace trace_;
  std::string bytes_;
  bool is_first_ = true;
  std::uint64_t tracks_ = 0;
  std::int32_t processes_ = 0;
  Numbers groups_;  // by clock
  Numbers names_;
  Numbers categories_;
  Numbers arguments_;
};

}  // namespace

std::string PerfettoTrace(const std::vector<TraceProcess>& processes) {
  return PerfettoWriter().Write(processes);
}

}  // namespace podsim
