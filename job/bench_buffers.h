// The buffers of one host's ranks for one benchmark case, and what the host
// does to them around the collective: rank r's output becomes what the
// collective makes of all ranks' inputs.
//
//   BenchBuffers buffers(one_case, shape);
//   buffers.Fill(placement);
//   buffers.Before(placement);   // timed, as all that follows but CountWrong
//   ... the collective on buffers.travelling() ...
//   buffers.After();
//   wrong += buffers.CountWrong(placement, reduced);
//
// Where ranks are hosts, the collective works on the output buffer; out of
// place, the input is copied there first. Where ranks are cores, the host
// combines (or gathers) its cores' buffers in order into one that travels, and
// hands each core its result afterwards: out of place needs no copy then.
//
// Words: W ranks, C ranks per host, rank = host x C + core.
#ifndef PODSIM_JOB_BENCH_BUFFERS_H_
#define PODSIM_JOB_BENCH_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnect/collectives/plan.h"
#include "job/bench_cases.h"
#include "job/bench_values.h"

namespace podsim {

enum class Placement : std::uint8_t { kOutOfPlace, kInPlace };

struct BenchShape {
  int hosts = 1;
  int ranks_per_host = 1;
  bool cores = false;  // ranks are cores
  ElementType wire = ElementType::kFloat32;

  int ranks() const { return hosts * ranks_per_host; }
};

// Values of `one` under `shape`.
BenchValues ValuesOf(const BenchCase& one, const BenchShape& shape);

// Elements of what travels between the hosts: C times a rank's buffer for an
// all_to_all among cores, one for a barrier, else as many as a rank's buffer
// has.
std::int64_t TravellingElements(const BenchCase& one, const BenchShape& shape);

// What one host allocates for `one`, in bytes.
std::int64_t BufferBytes(const BenchCase& one, const BenchShape& shape);

// The part of a rank's buffer that it contributes, and that it must end with.
Range InputRange(const BenchCase& one, int ranks, int rank);
Range OutputRange(const BenchCase& one, int ranks, int rank);

class BenchBuffers {
 public:
  // Allocates; Fill comes first.
  BenchBuffers(const BenchCase& one, const BenchShape& shape, int host);

  // Inputs where ranks put them, outputs that are wrong everywhere else.
  void Fill(Placement placement);
  void Before(Placement placement);
  // What the collective between the hosts works on.
  CollectiveBuffer travelling();
  void After();
  // Elements of the outputs, and out of place of the inputs, that are wrong.
  // `reduced`: ReducedBlock of a whole buffer, where something is reduced;
  // given, as it is the same for all ranks.
  std::int64_t CountWrong(Placement placement, const ValueBlock& reduced) const;

 private:
  using Memory = std::unique_ptr<std::byte[]>;
  struct Rank {
    Memory input;
    Memory output;
  };

  std::span<std::byte> Bytes(const Memory& memory, Range range) const;
  int RankOf(int core) const { return host_ * shape_.ranks_per_host + core; }
  void Fold(Placement placement);
  void FoldReduced(Placement placement);
  void Exchange(Placement placement, bool fold);
  void Unfold();
  std::int64_t CountWrongOutputs(const ValueBlock& reduced) const;
  std::int64_t CountUnlike(const ValueBlock& block) const;
  std::int64_t CountWrongShares(int from) const;

  const BenchCase case_;
  const BenchShape shape_;
  const BenchValues values_;
  const int host_;
  std::vector<Rank> ranks_;
  Memory folded_;  // with cores
};

}  // namespace podsim

#endif  // PODSIM_JOB_BENCH_BUFFERS_H_
