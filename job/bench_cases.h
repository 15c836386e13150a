// A benchmark as a list of cases, in the order in which every host runs them
// and the coordinator expects their reports. Pure.
//
//   const std::vector<BenchCase> cases = BenchCases(plan.spec().bench(),
//   ranks);
//   // row r of the table is case r mod cases.size()
#ifndef PODSIM_JOB_BENCH_CASES_H_
#define PODSIM_JOB_BENCH_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/element.h"
#include "proto/job.pb.h"

namespace podsim {

// kAvg is a sum that is then divided by the number of ranks.
enum class BenchOp : std::uint8_t { kNone, kSum, kProd, kMin, kMax, kAvg };

// "none", "sum", "prod", "min", "max", "avg".
std::string_view NameOf(BenchOp op);
std::optional<BenchOp> BenchOpNamed(std::string_view name);
// What travels and is combined. REQUIRES: op is not kNone.
ReductionOp ReductionOf(BenchOp op);

// all_reduce and reduce_scatter.
bool Reduces(Collective collective);

struct BenchCase {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;  // a name, or "auto"
  ElementType type = ElementType::kFloat32;
  BenchOp op = BenchOp::kNone;
  int root = -1;  // -1: none
  // Of one rank's buffer; of the larger one where input and output differ.
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  // What nccl-tests counts: elements, or a rank's share of them for
  // reduce_scatter, all_gather and all_to_all.
  std::int64_t count = 0;
};

// What is measured.
Collective CollectiveOf(const BenchSpec& spec);

// The number of ranks: hosts, or cores with ranks "cores".
int BenchRanks(const JobPlan& plan);

// Sizes from minbytes to maxbytes. REQUIRES: minbytes >= 0, and a stepfactor
// above 1 with minbytes >= 1, or stepbytes >= 1.
std::vector<std::int64_t> BenchSizes(const BenchSpec& spec);

// By algorithm, then data type, operation, root, size. A barrier has no size:
// one case per algorithm. Sizes are rounded down to whole elements, and where
// every rank has a share, to equal shares.
// REQUIRES: a spec as in a plan: all set, no "all".
std::vector<BenchCase> BenchCases(const BenchSpec& spec, int ranks);

}  // namespace podsim

#endif  // PODSIM_JOB_BENCH_CASES_H_
