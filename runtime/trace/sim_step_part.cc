#include "runtime/trace/sim_step_part.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/trace/span.h"
#include "base/units.h"

namespace podsim {
namespace {

using DrawnSpans = google::protobuf::RepeatedPtrField<DrawnSpan>;

// Two hours: of kMostTracedSteps of them the picoseconds are still counted.
constexpr std::int64_t kLongestStep = std::int64_t{7'200} * 1'000'000'000'000;

void Fill(const std::vector<SimulatedSpan>& spans, DrawnSpans& to) {
  for (const SimulatedSpan& span : spans) {
    DrawnSpan& part = *to.Add();
    part.set_begin(span.begin.picoseconds());
    part.set_end(span.end.picoseconds());
    part.set_name(span.name);
    part.set_bytes(span.bytes);
    if (span.link >= 0) part.set_link(span.link);
  }
}

std::vector<SimulatedSpan> SpansOf(const DrawnSpans& parts) {
  std::vector<SimulatedSpan> spans;
  spans.reserve(static_cast<std::size_t>(parts.size()));
  for (const DrawnSpan& part : parts)
    spans.push_back({.link = part.link(),
                     .begin = SimTime::Picoseconds(part.begin()),
                     .end = SimTime::Picoseconds(part.end()),
                     .bytes = part.bytes(),
                     .name = part.name()});
  return spans;
}

bool LiesIn(const SimStepPart& part, const DrawnSpans& spans) {
  return std::all_of(spans.begin(), spans.end(), [&](const DrawnSpan& span) {
    return span.begin() >= 0 && span.begin() <= span.end() &&
           span.end() <= part.total();
  });
}

bool IsDrawnStep(const SimStepPart& part) {
  const auto is_length = [](std::int64_t time) {
    return time >= 0 && time <= kLongestStep;
  };
  return part.total() > 0 && is_length(part.total()) &&
         is_length(part.input()) && is_length(part.store()) &&
         part.fixed() >= 0 && part.fixed() <= part.total() &&
         LiesIn(part, part.kernels()) && LiesIn(part, part.sums()) &&
         LiesIn(part, part.messages()) &&
         std::all_of(part.messages().begin(), part.messages().end(),
                     [&](const DrawnSpan& message) {
                       return part.links().contains(message.link());
                     });
}

}  // namespace

SimStepPart ToProto(const DrawnStep& step) {
  SimStepPart part;
  Fill(step.kernels, *part.mutable_kernels());
  Fill(step.sums, *part.mutable_sums());
  Fill(step.messages, *part.mutable_messages());
  part.mutable_links()->insert(step.links.begin(), step.links.end());
  part.set_no_messages(step.no_messages);
  part.set_input(step.input.picoseconds());
  part.set_store(step.store.picoseconds());
  part.set_fixed(step.fixed.picoseconds());
  part.set_total(step.total.picoseconds());
  return part;
}

absl::StatusOr<DrawnStep> FromProto(const SimStepPart& part) {
  if (!IsDrawnStep(part))
    return absl::InvalidArgumentError("what is kept is no simulated step");
  return DrawnStep{.kernels = SpansOf(part.kernels()),
                   .sums = SpansOf(part.sums()),
                   .messages = SpansOf(part.messages()),
                   .links = {part.links().begin(), part.links().end()},
                   .no_messages = part.no_messages(),
                   .input = SimTime::Picoseconds(part.input()),
                   .store = SimTime::Picoseconds(part.store()),
                   .fixed = SimTime::Picoseconds(part.fixed()),
                   .total = SimTime::Picoseconds(part.total())};
}

}  // namespace podsim
