#include "host/process/trace_part.h"

#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/write_error.h"
#include "job/placement.h"

namespace podsim {
namespace {

TraceSpan::Kind KindOf(SpanKind kind) {
  switch (kind) {
    case SpanKind::kStep:
      return TraceSpan::STEP;
    case SpanKind::kInput:
      return TraceSpan::INPUT;
    case SpanKind::kCompute:
      return TraceSpan::COMPUTE;
    case SpanKind::kWait:
      return TraceSpan::WAIT;
    case SpanKind::kUpdate:
      return TraceSpan::UPDATE;
    case SpanKind::kPacking:
      return TraceSpan::PACKING;
    case SpanKind::kCheckpoint:
      return TraceSpan::CHECKPOINT;
    case SpanKind::kEvaluation:
      return TraceSpan::EVALUATION;
    case SpanKind::kOther:
      return TraceSpan::OTHER;
    case SpanKind::kCollective:
      return TraceSpan::COLLECTIVE;
    case SpanKind::kSend:
      return TraceSpan::SEND;
    case SpanKind::kReceive:
      return TraceSpan::RECEIVE;
  }
  return TraceSpan::OTHER;
}

void Fill(const Span& span, TraceSpan& to) {
  to.set_kind(KindOf(span.kind));
  to.set_host(span.host);
  to.set_hosts(span.hosts);
  to.set_core(span.core);
  to.set_cores(span.cores);
  to.set_peer(span.peer);
  to.set_step(span.step);
  to.set_begin(static_cast<std::uint64_t>(span.begin));
  to.set_end(static_cast<std::uint64_t>(span.end));
  to.set_bytes(span.bytes);
  to.set_flow(span.flow);
  to.set_name(span.name);
}

}  // namespace

TracePart TracePartOf(const JobPlan& plan, const TracePlace& place,
                      const ClockOffset& offset, const TracedSpans& traced) {
  const HostRange hosts = HostsOf(plan, place.process);
  TracePart part;
  part.set_process(place.process);
  part.set_first_host(hosts.first);
  part.set_hosts(hosts.end - hosts.first);
  part.set_cores_per_host(plan.bits().cores_per_host());
  part.set_generation(place.generation);
  part.set_offset_ns(offset.nanoseconds());
  part.set_uncertainty_ns(offset.uncertainty());
  part.set_round_trips(offset.trips());
  part.set_dropped(traced.dropped);
  for (const Span& span : traced.spans) Fill(span, *part.add_spans());
  return part;
}

absl::Status WriteTracePart(const std::string& path, const TracePart& part) {
  PODSIM_ASSIGN_OR_RETURN(const UniqueFd file,
                          OpenOutput(path, OutputStart::kEmpty));
  const int error = WriteFully(file.get(), part.SerializeAsString());
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", WriteErrorText(error)));
}

}  // namespace podsim
