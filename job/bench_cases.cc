#include "job/bench_cases.h"

#include <array>

#include "base/status.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr std::array<std::string_view, 6> kOpNames = {"none", "sum", "prod",
                                                      "min",  "max", "avg"};

// Every rank has a share of the buffer of its own.
bool HasShares(Collective collective) {
  return collective == Collective::kReduceScatter ||
         collective == Collective::kAllGather ||
         collective == Collective::kAllToAll;
}

std::vector<BenchOp> OpsOf(const BenchSpec& spec, Collective collective) {
  if (!Reduces(collective)) return {BenchOp::kNone};
  std::vector<BenchOp> ops;
  for (const auto& name : WordsIn<words::Operation::Word>(spec.op())) {
    const auto op = BenchOpNamed(name);
    PODSIM_CHECK(op.has_value());
    ops.push_back(*op);
  }
  return ops;
}

std::vector<int> RootsOf(const BenchSpec& spec, Collective collective) {
  if (collective != Collective::kBroadcast) return {-1};
  return {spec.root().begin(), spec.root().end()};
}

void SetSize(std::int64_t bytes, int ranks, BenchCase& one) {
  const auto element = static_cast<std::int64_t>(SizeOf(one.type));
  one.elements = bytes / element;
  one.count = one.elements;
  if (HasShares(one.collective)) {
    one.count = one.elements / ranks;
    one.elements = one.count * ranks;
  }
  one.bytes = one.elements * element;
}

// Of one algorithm, data type and operation: root by root, size by size.
void AppendSizes(const BenchSpec& spec, int ranks, BenchCase one,
                 std::vector<BenchCase>& cases) {
  for (const int root : RootsOf(spec, one.collective)) {
    one.root = root;
    for (const std::int64_t bytes : BenchSizes(spec)) {
      SetSize(bytes, ranks, one);
      cases.push_back(one);
    }
  }
}

}  // namespace

std::string_view NameOf(BenchOp op) {
  return kOpNames.at(static_cast<std::size_t>(op));
}

std::optional<BenchOp> BenchOpNamed(std::string_view name) {
  for (std::size_t i = 0; i < kOpNames.size(); ++i) {
    if (kOpNames[i] == name) return static_cast<BenchOp>(i);
  }
  return std::nullopt;
}

ReductionOp ReductionOf(BenchOp op) {
  switch (op) {
    case BenchOp::kProd:
      return ReductionOp::kProd;
    case BenchOp::kMin:
      return ReductionOp::kMin;
    case BenchOp::kMax:
      return ReductionOp::kMax;
    case BenchOp::kSum:
    case BenchOp::kAvg:
    case BenchOp::kNone:
      break;
  }
  return ReductionOp::kSum;
}

bool Reduces(Collective collective) {
  return collective == Collective::kAllReduce ||
         collective == Collective::kReduceScatter;
}

Collective CollectiveOf(const BenchSpec& spec) {
  const auto collective = CollectiveNamed(WordOf(spec.collective()));
  PODSIM_CHECK(collective.has_value());
  return *collective;
}

int BenchRanks(const JobPlan& plan) {
  const bool cores = plan.spec().bench().ranks() == words::RankKind::cores;
  return plan.bits().hosts() * (cores ? plan.bits().cores_per_host() : 1);
}

std::vector<std::int64_t> BenchSizes(const BenchSpec& spec) {
  std::vector<std::int64_t> sizes;
  const bool factor = spec.stepfactor() > 1;
  for (std::int64_t size = spec.minbytes(); size <= spec.maxbytes();
       size = factor ? size * spec.stepfactor() : size + spec.stepbytes()) {
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<BenchCase> BenchCases(const BenchSpec& spec, int ranks) {
  const Collective collective = CollectiveOf(spec);
  std::vector<BenchCase> cases;
  for (const auto& algorithm :
       WordsIn<words::BenchAlgorithm::Word>(spec.algorithm())) {
    BenchCase one = {.collective = collective, .algorithm = algorithm};
    if (collective == Collective::kBarrier) {
      cases.push_back(one);
      continue;
    }
    for (const auto& name : WordsIn<words::DataType::Word>(spec.datatype())) {
      const auto type = ElementTypeNamed(name);
      PODSIM_CHECK(type.has_value());
      one.type = *type;
      for (const BenchOp op : OpsOf(spec, collective)) {
        one.op = op;
        AppendSizes(spec, ranks, one, cases);
      }
    }
  }
  return cases;
}

}  // namespace podsim
