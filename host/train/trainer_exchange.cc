// Steps of models whose cores depend on one another in the middle of a pass:
// all passes of all local hosts go side by side, each in memory of its own,
// from one all-reduce over cores to the next.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "host/core/join_cores.h"
#include "host/train/trainer_impl.h"
#include "models/graph/exchanges.h"

namespace podsim {
namespace {

void CopyToAll(std::span<const float> value,
               std::span<const std::span<float>> to) {
  for (const std::span<float> each : to)
    if (each.data() != value.data())
      std::copy(value.begin(), value.end(), each.begin());
}

}  // namespace

Trainer::Impl::Arena& Trainer::Impl::ArenaOf(int local, std::int64_t pass) {
  if (exchanges.empty()) return arenas[0];
  // Audits come when the hosts' own passes are over.
  const std::int64_t host = local == AuditSlot() ? 0 : local;
  return arenas[static_cast<std::size_t>(host * PassesPerStep() + pass)];
}

std::vector<std::span<float>> Trainer::Impl::ValuesOfCores(TensorId id,
                                                           int local) {
  const ProgramTensor& tensor = program.tensor(id);
  const std::int64_t cores = rows_at_once / RowsOfCore();
  const std::int64_t count = tensor.shape.elements();
  std::vector<std::span<float>> values;
  for (std::int64_t pass = 0; pass < PassesPerStep(); ++pass)
    for (std::int64_t core = 0; core < cores; ++core)
      values.push_back(std::span(ArenaOf(local, pass).per_core)
                           .subspan(tensor.offset * cores + core * count,
                                    static_cast<std::size_t>(count)));
  return values;
}

void Trainer::Impl::JoinPasses(const Segment& segment, int local) {
  const std::int64_t joined = rows_at_once / RowsOfCore();
  const auto cores = static_cast<std::int64_t>(bits.cores_per_host());
  const std::int64_t group =
      segment.group == 0 ? cores : std::min<std::int64_t>(segment.group, cores);
  if (group <= joined) return;  // the instruction did it
  const std::vector<std::span<float>> values =
      ValuesOfCores(segment.tensor, local);
  for (std::int64_t first = 0; first < cores; first += group) {
    const auto of_group = std::span(values).subspan(
        static_cast<std::size_t>(first), static_cast<std::size_t>(group));
    JoinCores(segment.reduce, of_group);
  }
}

absl::Status Trainer::Impl::JoinHosts(std::int64_t step, std::size_t number) {
  const int index = static_cast<int>(program.buckets.size() + number);
  const TensorId id = exchanges[number]->tensor;
  setup.progress->Enter(step, program.tensor(id).name);
  Enter(StepPhase::kReduce);
  std::vector<std::vector<std::span<float>>> values;
  for (int local = 0; local < static_cast<int>(hosts.size()); ++local) {
    values.push_back(ValuesOfCores(id, local));
    reducer.Start(local, index, SequenceOf(step, index), values[local][0]);
  }
  TracedSpan wait = Traced(SpanKind::kWait);
  PODSIM_RETURN_IF_ERROR(
      Annotate(reducer.Wait(index).status(),
               absl::StrCat("all-reduce of ", program.tensor(id).name)));
  if (wait.on()) {
    wait->name = absl::StrCat("all-reduce of ", program.tensor(id).name);
    wait->peer = reducer.awaited(index);
  }
  for (const auto& of_host : values) CopyToAll(of_host[0], of_host);
  setup.progress->Enter(step, "compute");
  Enter(StepPhase::kCompute);
  return absl::OkStatus();
}

// The pass may write over it before the loss is known.
void Trainer::Impl::KeepJoined(std::size_t number) {
  std::vector<float>& kept = joined[number];
  kept.clear();
  for (int local = 0; local < static_cast<int>(hosts.size()); ++local)
    for (const std::span<float> value :
         ValuesOfCores(exchanges[number]->tensor, local))
      kept.insert(kept.end(), value.begin(), value.end());
}

void Trainer::Impl::TakeJoined(std::size_t number, const CoreRows& rows,
                               Arena& arena) {
  const ProgramTensor& tensor = program.tensor(exchanges[number]->tensor);
  const std::int64_t count = tensor.shape.elements();
  const std::int64_t cores = PassesPerStep() * (rows_at_once / RowsOfCore());
  std::copy_n(
      joined[number].begin() + (rows.local * cores + rows.number) * count,
      count, arena.per_core.begin() + tensor.offset);
}

absl::Status Trainer::Impl::ComputeTogether(std::int64_t step,
                                            std::span<const HostRows> runs) {
  std::span<const Segment> left =
      program.entries.at(EntryPoint::kTrainMicrobatch);
  for (std::size_t number = 0; !left.empty(); ++number) {
    std::size_t size = 0;
    while (size < left.size() && !left[size].joins_tensor()) ++size;
    for (const HostRows& run : runs)
      for (std::int64_t pass = 0; pass < PassesPerStep(); ++pass)
        PODSIM_RETURN_IF_ERROR(ComputeRows(step, left.first(size), run, pass));
    if (size == left.size()) break;
    for (const HostRows& run : runs) JoinPasses(left[size], run.local);
    if (bits.exchanges(static_cast<int>(number)).group() > 1)
      PODSIM_RETURN_IF_ERROR(JoinHosts(step, number));
    KeepJoined(number);
    left = left.subspan(size + 1);
  }
  return absl::OkStatus();
}

}  // namespace podsim
