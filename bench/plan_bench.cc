// One rank's plan of an all-reduce of 64 MiB of float32. Bytes are those of the
// plan's ops.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/beside_copy.h"
#include "bench/collectives_bench.h"
#include "interconnect/collectives/algorithms.h"

namespace podsim {
namespace {

// A square grid. REQUIRES: a square number of ranks.
PlanRequest RequestFor(Algorithm algorithm, int world) {
  PlanRequest request = {.algorithm = algorithm, .elements = kMemoryBytes / 4};
  request.ring.resize(static_cast<std::size_t>(world));
  std::iota(request.ring.begin(), request.ring.end(), 0);
  while (request.rows * request.rows < world) ++request.rows;
  request.columns = request.rows;
  return request;
}

// Every frame that is sent is received, in the same length, and together they
// are 2 (W-1) S elements, which docs/collectives.md promises for such a W.
bool AllPlansFit(const PlanRequest& request) {
  // From, to, chunk, elements.
  using Frame = std::tuple<int, int, std::uint32_t, std::int64_t>;
  std::vector<Frame> sent;
  std::vector<Frame> received;
  std::int64_t elements = 0;
  const int world = static_cast<int>(request.ring.size());
  for (int rank = 0; rank < world; ++rank) {
    const auto plan = MakeRankPlan(request, rank);
    if (!plan.ok()) return false;
    for (const PlanOp& op : plan->ops) {
      if (op.kind == OpKind::kSend) {
        sent.emplace_back(rank, op.peer, op.chunk, op.range.count);
        elements += op.range.count;
      } else if (!IsLocal(op.kind)) {
        received.emplace_back(op.peer, rank, op.chunk, op.range.count);
      }
    }
  }
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  return sent == received && elements == 2 * (world - 1) * request.elements;
}

void BuildPlan(benchmark::State& state, Algorithm algorithm, int world) {
  const PlanRequest request = RequestFor(algorithm, world);
  if (!AllPlansFit(request)) return state.SkipWithError("the plan is wrong");
  const std::size_t ops = MakeRankPlan(request, 0)->ops.size();
  TimeBesideCopy(state, static_cast<std::int64_t>(ops * sizeof(PlanOp)),
                 [&] { benchmark::DoNotOptimize(MakeRankPlan(request, 0)); });
  state.counters["ops"] = static_cast<double>(ops);
}

}  // namespace

void RegisterPlans() {
  for (const Algorithm algorithm : AllAlgorithms()) {
    for (const int world : {4, 16, 256}) {
      benchmark::RegisterBenchmark(
          absl::StrCat("plan/", std::string(NameOf(algorithm)), "/", world)
              .c_str(),
          BuildPlan, algorithm, world);
    }
  }
}

}  // namespace podsim
