#include "host/process/trace_part.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/write_error.h"
#include "job/placement.h"

namespace podsim {
namespace {

constexpr char kUnfinished[] = ".unfinished";
// Even a slow disk takes one within a second.
constexpr std::size_t kPiece = std::size_t{256} << 10;

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
    case SpanKind::kCheckpointWrite:
      return TraceSpan::CHECKPOINT_WRITE;
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

absl::Status CannotWritePart(const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", WriteErrorText(error)));
}

// Removes what it could not write to its end.
absl::Status WritePieces(const std::string& path, std::string_view bytes,
                         const std::function<void()>& on_progress) {
  PODSIM_ASSIGN_OR_RETURN(const UniqueFd file,
                          OpenOutput(path, OutputStart::kEmpty));
  while (!bytes.empty()) {
    const int error = WriteFully(file.get(), bytes.substr(0, kPiece));
    if (error != 0) {
      if (!IsOutputDevice(path)) std::remove(path.c_str());
      return CannotWritePart(path, error);
    }
    bytes.remove_prefix(std::min(bytes.size(), kPiece));
    if (on_progress) on_progress();
  }
  return absl::OkStatus();
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

std::string TracePartFile(const std::string& folder, const TracePlace& place) {
  return absl::StrCat(folder, "/trace-", place.generation, "-", place.process);
}

absl::Status WriteTracePart(const std::string& path, const TracePart& part,
                            const std::function<void()>& on_progress) {
  const std::string bytes = part.SerializeAsString();
  if (on_progress) on_progress();
  // What is no file cannot be replaced.
  if (IsOutputDevice(path)) return WritePieces(path, bytes, on_progress);
  const std::string unfinished = path + kUnfinished;
  PODSIM_RETURN_IF_ERROR(WritePieces(unfinished, bytes, on_progress));
  if (std::rename(unfinished.c_str(), path.c_str()) == 0)
    return absl::OkStatus();
  const int error = errno;
  std::remove(unfinished.c_str());
  return CannotWritePart(path, error);
}

absl::StatusOr<std::unique_ptr<TracePartWriter>> TracePartWriter::Open(
    const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(UniqueFd file,
                          OpenOutput(path + kUnfinished, OutputStart::kEmpty));
  return std::unique_ptr<TracePartWriter>(
      new TracePartWriter(path, std::move(file)));
}

TracePartWriter::TracePartWriter(std::string path, UniqueFd file)
    : path_(std::move(path)),
      unfinished_(path_ + kUnfinished),
      file_(std::move(file)) {}

TracePartWriter::~TracePartWriter() {
  if (!finished_) std::remove(unfinished_.c_str());
}

// Messages one behind the other are read as one that has the spans of all.
absl::Status TracePartWriter::Append(const TracePart& piece) {
  const int error = WriteFully(file_.get(), piece.SerializeAsString());
  return error == 0 ? absl::OkStatus() : CannotWritePart(path_, error);
}

absl::Status TracePartWriter::Finish() {
  finished_ = std::rename(unfinished_.c_str(), path_.c_str()) == 0;
  return finished_ ? absl::OkStatus() : CannotWritePart(path_, errno);
}

}  // namespace podsim
