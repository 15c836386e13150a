#include "runtime/job/bench_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "job/bench_buffers.h"
#include "job/bench_cases.h"
#include "runtime/job/bench_settings.h"
#include "runtime/job/defaults.h"
#include "runtime/job/plan_placement.h"
#include "runtime/job/resolved_job.h"
#include "runtime/job/spec_check.h"
#include "settings/check.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostSizes = 100'000;
constexpr std::int64_t kMostRows = 100'000;

using words::BenchAlgorithm;
using words::DataType;
using words::Operation;

// What "all" stands for.
std::vector<int> AlgorithmsFor(Collective collective) {
  std::vector<int> algorithms;
  for (const Algorithm algorithm : AllAlgorithms()) {
    const auto word =
        WordNamed<BenchAlgorithm::Word>(std::string(NameOf(algorithm)));
    PODSIM_CHECK(word.has_value());
    if (Supports(collective, algorithm)) algorithms.push_back(*word);
  }
  return algorithms;
}

absl::Status NotAllowed(const std::string& field, const std::string& value,
                        const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, "; allowed: ", allowed));
}

// Of the widest type that is asked for.
absl::Status CheckWholeElements(const BenchSpec& bench) {
  std::int64_t bytes = 2;
  for (const int type : bench.datatype())
    if (type != DataType::bfloat16) bytes = 4;
  if (bench.collective() == words::Collective::barrier) bytes = 1;
  return CheckElementSizes(bench.minbytes(), bytes);
}

absl::Status CheckSizes(const BenchSpec& bench) {
  PODSIM_RETURN_IF_ERROR(CheckSizeOrder(bench.minbytes(), bench.maxbytes()));
  PODSIM_RETURN_IF_ERROR(CheckWholeElements(bench));
  if (bench.stepfactor() > 1) {
    return bench.minbytes() > 0
               ? absl::OkStatus()
               : NotAllowed("minbytes", "0",
                            "1 and more with a stepfactor: 0 times it is 0");
  }
  const std::int64_t sizes =
      (bench.maxbytes() - bench.minbytes()) / bench.stepbytes();
  if (sizes < kMostSizes) return absl::OkStatus();
  return NotAllowed(
      "stepbytes",
      absl::StrCat(bench.stepbytes(), ", which makes ", FormatCount(sizes + 1),
                   " sizes"),
      absl::StrCat((bench.maxbytes() - bench.minbytes()) / kMostSizes + 1,
                   " and more, which make up to ", FormatCount(kMostSizes),
                   "; or -f 2"));
}

absl::Status CheckAlgorithms(const BenchSpec& bench) {
  std::vector<int> allowed = AlgorithmsFor(CollectiveOf(bench));
  allowed.insert(allowed.begin(), BenchAlgorithm::auto_);
  allowed.push_back(BenchAlgorithm::all);
  for (const int word : bench.algorithm()) {
    if (std::find(allowed.begin(), allowed.end(), word) != allowed.end())
      continue;
    return Annotate(
        NotAllowed("algo",
                   WordsIn<BenchAlgorithm::Word>(std::vector{word}).front(),
                   absl::StrJoin(WordsIn<BenchAlgorithm::Word>(allowed), ", ")),
        WordOf(bench.collective()));
  }
  return absl::OkStatus();
}

absl::Status CheckWire(const BenchSpec& bench) {
  if (bench.wire_dtype() == words::WireType::float32) return absl::OkStatus();
  for (const int type : bench.datatype()) {
    if (type == DataType::all || type == DataType::float_)
      return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "wire_dtype is bfloat16 but datatype is ",
      absl::StrJoin(WordsIn<DataType::Word>(bench.datatype()), ", "),
      ": only float travels as another type; give -d float or leave it out"));
}

// Replaces a list that says `all` by `everything`.
void Expand(int all, const std::vector<int>& everything,
            google::protobuf::RepeatedField<int>* list) {
  if (std::find(list->begin(), list->end(), all) == list->end()) return;
  list->Assign(everything.begin(), everything.end());
}

absl::Status ExpandRoots(int ranks, BenchSpec& bench) {
  auto& roots = *bench.mutable_root();
  if (CollectiveOf(bench) != Collective::kBroadcast) {
    return absl::OkStatus();  // no root
  }
  for (const int root : roots) {
    if (root >= -1 && root < ranks) continue;
    return NotAllowed(
        "root", absl::StrCat(root),
        ranks == 1
            ? "0, as one rank takes part: --root (-r) numbers them from 0 (a "
              "larger --topology has more)"
            : absl::StrCat("0 to ", ranks - 1, ", or all: --root (-r) numbers ",
                           "the ", ranks, " ", WordOf(bench.ranks()),
                           " from 0"));
  }
  if (std::find(roots.begin(), roots.end(), -1) == roots.end()) {
    return absl::OkStatus();
  }
  roots.Clear();
  for (int root = 0; root < ranks; ++root) roots.Add(root);
  return absl::OkStatus();
}

// Of one cycle; every row is kept until the end.
absl::Status CheckRows(const BenchSpec& bench) {
  std::int64_t rows = static_cast<std::int64_t>(BenchSizes(bench).size());
  for (const int factor : {bench.algorithm_size(), bench.datatype_size(),
                           bench.op_size(), bench.root_size()}) {
    rows *= factor;
    if (rows > kMostRows) {
      return absl::InvalidArgumentError(absl::StrCat(
          FormatCounted(static_cast<std::int64_t>(BenchSizes(bench).size()),
                        "size"),
          ", ", FormatCounted(bench.algorithm_size(), "algorithm"), ", ",
          FormatCounted(bench.datatype_size(), "data type"), ", ",
          FormatCounted(bench.op_size(), "operation"), " and ",
          FormatCounted(bench.root_size(), "root"), " make more than ",
          FormatCount(kMostRows),
          " rows; ask for fewer at a time, as with -f 2 or -r 0"));
    }
  }
  return absl::OkStatus();
}

// The largest case of all hosts at once, on one machine.
absl::Status CheckMemory(const JobPlan& plan, std::int64_t memory_bytes) {
  const BenchSpec& bench = plan.spec().bench();
  BenchShape shape = {.hosts = plan.bits().hosts(),
                      .cores = bench.ranks() == words::RankKind::cores};
  shape.ranks_per_host = shape.cores ? plan.bits().cores_per_host() : 1;
  std::int64_t most = 0;
  for (const BenchCase& one : BenchCases(bench, shape.ranks())) {
    most = std::max(most, BufferBytes(one, shape));
  }
  const std::int64_t needed = most * bench.agg_iters() * shape.hosts;
  if (memory_bytes == 0 || needed <= memory_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("buffers of ", FormatBytes(bench.maxbytes()), " for ",
                   shape.ranks(), " ranks take ", FormatBytes(needed),
                   ", this machine has ", FormatBytes(memory_bytes),
                   " left; lower -e or -m, or take a smaller slice"));
}

void FillBits(const Slice& slice, const JobSpec& spec, const std::string& isa,
              PlanBits& bits) {
  bits.set_slice(slice.name);
  bits.set_hosts(slice.hosts);
  bits.set_cores_per_host(slice.replicas_per_host());
  for (const int host : HostRing(slice)) bits.add_ring(host);
  bits.set_host_rows(slice.host_grid.y);
  bits.set_host_columns(slice.host_grid.x);
  bits.set_isa(isa);
  *bits.mutable_choices() = spec.choices();
}

}  // namespace

void FillBenchDefaults(BenchSpec& bench) { FillDefaults(bench); }

absl::Status CheckBench(const BenchSpec& bench) {
  PODSIM_RETURN_IF_ERROR(CheckSettings(bench));
  PODSIM_RETURN_IF_ERROR(CheckAlgorithms(bench));
  PODSIM_RETURN_IF_ERROR(CheckWire(bench));
  PODSIM_RETURN_IF_ERROR(CheckSizes(bench));
  if (bench.per_iter_skip() < bench.iters()) return absl::OkStatus();
  return NotAllowed("per_iter_skip", absl::StrCat(bench.per_iter_skip()),
                    absl::StrCat("0 to ", FormatCount(bench.iters() - 1),
                                 ", less than --iters"));
}

absl::StatusOr<JobPlan> PlanBench(const JobSpec& asked,
                                  const PlanInputs& inputs) {
  ResolvedJob job;
  job.spec = asked;
  PODSIM_RETURN_IF_ERROR(CheckSpec(asked));
  FillGeneralDefaults(job.spec);
  PODSIM_ASSIGN_OR_RETURN(job.slice, SliceOf(job.spec));
  PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(job.slice), "topology"));
  FillBenchDefaults(*job.spec.mutable_bench());
  PODSIM_RETURN_IF_ERROR(CheckBench(job.spec.bench()));
  JobPlan plan;
  FillBits(job.slice, job.spec, inputs.isa, *plan.mutable_bits());
  PODSIM_RETURN_IF_ERROR(FillPlacement(inputs, job, plan));
  *plan.mutable_spec() = std::move(job.spec);
  BenchSpec& bench = *plan.mutable_spec()->mutable_bench();
  Expand(BenchAlgorithm::all, AlgorithmsFor(CollectiveOf(bench)),
         bench.mutable_algorithm());
  Expand(DataType::all, {DataType::float_, DataType::bfloat16, DataType::int32},
         bench.mutable_datatype());
  Expand(Operation::all,
         {Operation::sum, Operation::prod, Operation::min, Operation::max,
          Operation::avg},
         bench.mutable_op());
  PODSIM_RETURN_IF_ERROR(ExpandRoots(BenchRanks(plan), bench));
  PODSIM_RETURN_IF_ERROR(CheckRows(bench));
  PODSIM_RETURN_IF_ERROR(CheckMemory(plan, inputs.memory_bytes));
  plan.set_hash(HashOf(plan.bits()));
  return plan;
}

}  // namespace podsim
