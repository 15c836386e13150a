#include "runtime/job/bench_plan.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "job/bench_buffers.h"
#include "job/bench_cases.h"
#include "runtime/job/defaults.h"
#include "runtime/job/plan_placement.h"
#include "runtime/job/resolved_job.h"
#include "runtime/job/spec_check.h"

namespace podsim {
namespace {

constexpr char kAll[] = "all";
constexpr char kAuto[] = "auto";
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostIterations = 100'000'000;
constexpr std::int64_t kMostAtOnce = 64;
constexpr std::int64_t kMostSizes = 100'000;
constexpr std::int64_t kMostRows = 100'000;
constexpr double kMostSeconds = 1e6;

// What lists may hold, without "all".
std::vector<std::string> TypeNames() {
  std::vector<std::string> names;
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kInt32}) {
    names.emplace_back(NameOf(type));
  }
  return names;
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const BenchOp op : {BenchOp::kSum, BenchOp::kProd, BenchOp::kMin,
                           BenchOp::kMax, BenchOp::kAvg}) {
    names.emplace_back(NameOf(op));
  }
  return names;
}

std::vector<std::string> AlgorithmNamesFor(Collective collective) {
  std::vector<std::string> names;
  for (const Algorithm algorithm : AllAlgorithms()) {
    if (Supports(collective, algorithm)) names.emplace_back(NameOf(algorithm));
  }
  return names;
}

absl::Status NotAllowed(const std::string& field, const std::string& value,
                        const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, "; allowed: ", allowed));
}

absl::Status CheckWord(const std::string& field, const std::string& word,
                       const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) {
    return absl::OkStatus();
  }
  return NotAllowed(field, absl::StrCat("'", absl::CHexEscape(word), "'"),
                    absl::StrJoin(allowed, ", "));
}

template <typename List>
absl::Status CheckWords(const std::string& field, const List& words,
                        std::vector<std::string> allowed) {
  allowed.emplace_back(kAll);
  for (const std::string& word : words) {
    PODSIM_RETURN_IF_ERROR(CheckWord(field, word, allowed));
  }
  return absl::OkStatus();
}

absl::Status CheckNumber(const std::string& field, std::int64_t value,
                         std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return NotAllowed(field, absl::StrCat(value),
                    absl::StrCat(least, " to ", FormatCount(most)));
}

absl::Status CheckSizes(const BenchSpec& bench) {
  PODSIM_RETURN_IF_ERROR(
      CheckNumber("minbytes", bench.minbytes(), 0, kMostBytes));
  PODSIM_RETURN_IF_ERROR(
      CheckNumber("maxbytes", bench.maxbytes(), 0, kMostBytes));
  PODSIM_RETURN_IF_ERROR(
      CheckNumber("stepbytes", bench.stepbytes(), 1, kMostBytes));
  PODSIM_RETURN_IF_ERROR(
      CheckNumber("stepfactor", bench.stepfactor(), 1, 1 << 20));
  if (bench.minbytes() > bench.maxbytes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "minbytes is ", bench.minbytes(), ", more than maxbytes, which is ",
        bench.maxbytes(), "; give both (-b and -e), or neither"));
  }
  if (bench.stepfactor() > 1) {
    return bench.minbytes() > 0
               ? absl::OkStatus()
               : NotAllowed("minbytes", "0",
                            "1 and more with a stepfactor: 0 times it is 0");
  }
  const std::int64_t sizes =
      (bench.maxbytes() - bench.minbytes()) / bench.stepbytes();
  if (sizes < kMostSizes) return absl::OkStatus();
  return NotAllowed("stepbytes",
                    absl::StrCat(bench.stepbytes(), ", which makes ",
                                 FormatCount(sizes + 1), " sizes"),
                    absl::StrCat("steps that make up to ",
                                 FormatCount(kMostSizes), "; or -f 2"));
}

absl::Status CheckCounts(const BenchSpec& bench) {
  struct Bounds {
    const char* field;
    std::int64_t value;
    std::int64_t least;
    std::int64_t most;
  };
  for (const Bounds& bounds :
       {Bounds{"iters", bench.iters(), 1, kMostIterations},
        Bounds{"warmup_iters", bench.warmup_iters(), 0, kMostIterations},
        Bounds{"agg_iters", bench.agg_iters(), 1, kMostAtOnce},
        Bounds{"run_cycles", bench.run_cycles(), 0, kMostIterations},
        Bounds{"check", bench.check(), 0, kMostIterations},
        Bounds{"average", bench.average(), 0, 3},
        Bounds{"blocking", bench.blocking(), 0, 2},
        Bounds{"per_iter_skip", bench.per_iter_skip(), 0, bench.iters() - 1}}) {
    PODSIM_RETURN_IF_ERROR(
        CheckNumber(bounds.field, bounds.value, bounds.least, bounds.most));
  }
  if (bench.timeout() >= 0 && bench.timeout() < kMostSeconds) {
    return absl::OkStatus();
  }
  return NotAllowed("timeout", absl::StrCat(bench.timeout()),
                    absl::StrCat("0 (none) to ", kMostSeconds, " seconds"));
}

absl::Status CheckAlgorithms(const BenchSpec& bench, Collective collective) {
  std::vector<std::string> allowed = AlgorithmNamesFor(collective);
  allowed.insert(allowed.begin(), kAuto);
  return Annotate(CheckWords("algo", bench.algorithm(), std::move(allowed)),
                  bench.collective());
}

absl::Status CheckWire(const BenchSpec& bench) {
  PODSIM_RETURN_IF_ERROR(
      CheckWord("wire_dtype", bench.wire_dtype(), {"float32", "bfloat16"}));
  if (bench.wire_dtype() == "float32") return absl::OkStatus();
  for (const std::string& type : bench.datatype()) {
    if (type == kAll || type == NameOf(ElementType::kFloat32)) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "wire_dtype is bfloat16 but datatype is ",
      absl::StrJoin(bench.datatype(), ", "),
      ": only float travels as another type; give -d float or leave it out"));
}

// Replaces a list that says "all" by `everything`.
template <typename List>
void Expand(const std::vector<std::string>& everything, List* list) {
  if (std::find(list->begin(), list->end(), kAll) == list->end()) return;
  list->Clear();
  for (const std::string& name : everything) *list->Add() = name;
}

absl::Status ExpandRoots(int ranks, BenchSpec& bench) {
  auto& roots = *bench.mutable_root();
  if (bench.collective() != NameOf(Collective::kBroadcast)) {
    return absl::OkStatus();  // no root
  }
  for (const int root : roots) {
    if (root >= -1 && root < ranks) continue;
    return NotAllowed("root", absl::StrCat(root),
                      absl::StrCat("0 to ", ranks - 1, ", or all"));
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
          "sizes, algorithms, data types, operations and roots make more than ",
          FormatCount(kMostRows), " rows; ask for fewer at a time"));
    }
  }
  return absl::OkStatus();
}

// The largest case of all hosts at once, on one machine.
absl::Status CheckMemory(const JobPlan& plan, std::int64_t memory_bytes) {
  const BenchSpec& bench = plan.bench();
  BenchShape shape = {.hosts = plan.bits().hosts(),
                      .cores = bench.ranks() == "cores"};
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
  bits.set_cores_per_host(kCoresPerHost);
  for (const int host : HostRing(slice)) bits.add_ring(host);
  bits.set_host_rows(slice.host_grid.y);
  bits.set_host_columns(slice.host_grid.x);
  bits.set_isa(isa);
  *bits.mutable_choices() = spec.choices();
}

}  // namespace

#define PODSIM_DEFAULT(field, value) \
  if (!bench.has_##field()) bench.set_##field(value)
#define PODSIM_DEFAULT_LIST(field, value) \
  if (bench.field().empty()) bench.add_##field(value)

void FillBenchDefaults(BenchSpec& bench) {
  PODSIM_DEFAULT_LIST(algorithm, kAuto);
  PODSIM_DEFAULT_LIST(datatype, "float");
  PODSIM_DEFAULT_LIST(op, "sum");
  PODSIM_DEFAULT_LIST(root, 0);
  PODSIM_DEFAULT(collective, "all_reduce");
  PODSIM_DEFAULT(ranks, "hosts");
  PODSIM_DEFAULT(wire_dtype, "float32");
  PODSIM_DEFAULT(minbytes, 32 * kMiB);
  PODSIM_DEFAULT(maxbytes, 32 * kMiB);
  PODSIM_DEFAULT(stepbytes, kMiB);
  PODSIM_DEFAULT(stepfactor, 1);
  PODSIM_DEFAULT(iters, 20);
  PODSIM_DEFAULT(warmup_iters, 1);
  PODSIM_DEFAULT(agg_iters, 1);
  PODSIM_DEFAULT(run_cycles, 1);
  PODSIM_DEFAULT(check, 1);
  PODSIM_DEFAULT(average, 1);
  PODSIM_DEFAULT(blocking, 0);
  PODSIM_DEFAULT(timeout, 0);
  PODSIM_DEFAULT(per_iter_timing, false);
  PODSIM_DEFAULT(per_iter_skip, 0);
}

std::vector<std::string> CollectiveNames() {
  std::vector<std::string> names;
  for (const Collective collective : AllCollectives()) {
    names.emplace_back(NameOf(collective));
  }
  return names;
}

absl::Status CheckBench(const BenchSpec& bench) {
  PODSIM_RETURN_IF_ERROR(
      CheckWord("collective", bench.collective(), CollectiveNames()));
  PODSIM_RETURN_IF_ERROR(
      CheckAlgorithms(bench, *CollectiveNamed(bench.collective())));
  PODSIM_RETURN_IF_ERROR(CheckWords("datatype", bench.datatype(), TypeNames()));
  PODSIM_RETURN_IF_ERROR(CheckWords("op", bench.op(), OpNames()));
  PODSIM_RETURN_IF_ERROR(CheckWord("ranks", bench.ranks(), {"hosts", "cores"}));
  PODSIM_RETURN_IF_ERROR(CheckWire(bench));
  PODSIM_RETURN_IF_ERROR(CheckSizes(bench));
  return CheckCounts(bench);
}

absl::StatusOr<JobPlan> PlanBench(const JobSpec& asked,
                                  const PlanInputs& inputs) {
  ResolvedJob job;
  job.spec = asked;
  PODSIM_RETURN_IF_ERROR(CheckSpec(asked));
  FillGeneralDefaults(job.spec);
  PODSIM_ASSIGN_OR_RETURN(job.slice, SliceOf(job.spec));
  JobPlan plan;
  BenchSpec& bench = *plan.mutable_bench();
  bench = asked.bench();
  FillBenchDefaults(bench);
  PODSIM_RETURN_IF_ERROR(CheckBench(bench));
  FillBits(job.slice, job.spec, inputs.isa, *plan.mutable_bits());
  Expand(AlgorithmNamesFor(*CollectiveNamed(bench.collective())),
         bench.mutable_algorithm());
  Expand(TypeNames(), bench.mutable_datatype());
  Expand(OpNames(), bench.mutable_op());
  PODSIM_RETURN_IF_ERROR(ExpandRoots(BenchRanks(plan), bench));
  PODSIM_RETURN_IF_ERROR(CheckRows(bench));
  PODSIM_RETURN_IF_ERROR(FillPlacement(job, inputs, plan));
  PODSIM_RETURN_IF_ERROR(CheckMemory(plan, inputs.memory_bytes));
  plan.set_hash(HashOf(plan.bits()));
  return plan;
}

}  // namespace podsim
