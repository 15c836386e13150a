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
#include "settings/check.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr char kAll[] = "all";
constexpr char kAuto[] = "auto";
constexpr std::int64_t kMostSizes = 100'000;
constexpr std::int64_t kMostRows = 100'000;

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

absl::Status CheckSizes(const BenchSpec& bench) {
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

absl::Status CheckAlgorithms(const BenchSpec& bench, Collective collective) {
  std::vector<std::string> allowed = AlgorithmNamesFor(collective);
  allowed.insert(allowed.begin(), kAuto);
  allowed.emplace_back(kAll);
  for (const std::string& name : bench.algorithm())
    PODSIM_RETURN_IF_ERROR(
        Annotate(CheckWord("algo", name, allowed), bench.collective()));
  return absl::OkStatus();
}

absl::Status CheckWire(const BenchSpec& bench) {
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

void FillBenchDefaults(BenchSpec& bench) { FillDefaults(bench); }

absl::Status CheckBench(const BenchSpec& bench) {
  PODSIM_RETURN_IF_ERROR(CheckSettings(bench));
  PODSIM_RETURN_IF_ERROR(
      CheckAlgorithms(bench, *CollectiveNamed(bench.collective())));
  PODSIM_RETURN_IF_ERROR(CheckWire(bench));
  PODSIM_RETURN_IF_ERROR(CheckSizes(bench));
  if (bench.per_iter_skip() < bench.iters()) return absl::OkStatus();
  return NotAllowed("per_iter_skip", absl::StrCat(bench.per_iter_skip()),
                    absl::StrCat("0 to ", FormatCount(bench.iters() - 1)));
}

absl::StatusOr<JobPlan> PlanBench(const JobSpec& asked,
                                  const PlanInputs& inputs) {
  ResolvedJob job;
  job.spec = asked;
  PODSIM_RETURN_IF_ERROR(CheckSpec(asked));
  FillGeneralDefaults(job.spec);
  PODSIM_ASSIGN_OR_RETURN(job.slice, SliceOf(job.spec));
  JobPlan plan;
  *plan.mutable_spec() = job.spec;
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
