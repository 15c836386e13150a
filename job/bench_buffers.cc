#include "job/bench_buffers.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "interconnect/collectives/reduce.h"

namespace podsim {
namespace {

// No value that any rank puts in, or that comes out.
constexpr std::byte kPoison{0xa5};
// Cores' buffers are combined in pieces that stay in the cache meanwhile.
constexpr std::int64_t kFoldElements = 16384;

void Copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace

BenchValues ValuesOf(const BenchCase& one, const BenchShape& shape) {
  return {.type = one.type,
          .wire = shape.wire,
          .op = one.op,
          .ranks = shape.ranks()};
}

std::int64_t TravellingElements(const BenchCase& one, const BenchShape& shape) {
  if (one.collective == Collective::kBarrier) return 1;
  const bool blocks = one.collective == Collective::kAllToAll && shape.cores;
  return one.elements * (blocks ? shape.ranks_per_host : 1);
}

std::int64_t BufferBytes(const BenchCase& one, const BenchShape& shape) {
  const std::int64_t folded =
      shape.cores ? TravellingElements(one, shape) *
                        static_cast<std::int64_t>(SizeOf(one.type))
                  : 0;
  return 2 * one.bytes * shape.ranks_per_host + folded;
}

Range InputRange(const BenchCase& one, int ranks, int rank) {
  if (one.collective == Collective::kAllGather) {
    return SegmentOf(one.elements, ranks, rank);
  }
  if (one.collective == Collective::kBroadcast && rank != one.root) return {};
  return {0, one.elements};
}

Range OutputRange(const BenchCase& one, int ranks, int rank) {
  if (one.collective == Collective::kReduceScatter) {
    return SegmentOf(one.elements, ranks, rank);
  }
  return {0, one.elements};
}

BenchBuffers::BenchBuffers(const BenchCase& one, const BenchShape& shape,
                           int host)
    : case_(one), shape_(shape), values_(ValuesOf(one, shape)), host_(host) {
  const auto allocate = [](std::size_t size) {
    return std::make_unique_for_overwrite<std::byte[]>(size);
  };
  const auto bytes = static_cast<std::size_t>(one.bytes);
  const std::size_t travelling =
      static_cast<std::size_t>(TravellingElements(one, shape)) *
      SizeOf(one.type);
  for (int core = 0; core < shape.ranks_per_host; ++core) {
    ranks_.push_back(
        {allocate(bytes), allocate(shape.cores ? bytes : travelling)});
  }
  if (shape.cores) folded_ = allocate(travelling);
}

std::span<std::byte> BenchBuffers::Bytes(const Memory& memory,
                                         Range range) const {
  const std::size_t size = SizeOf(case_.type);
  return {memory.get() + static_cast<std::size_t>(range.begin) * size,
          static_cast<std::size_t>(range.count) * size};
}

void BenchBuffers::Fill(Placement placement) {
  for (int core = 0; core < shape_.ranks_per_host; ++core) {
    Rank& rank = ranks_[core];
    const Range range = InputRange(case_, shape_.ranks(), RankOf(core));
    std::fill_n(rank.output.get(), case_.bytes, kPoison);
    std::fill_n(rank.input.get(), case_.bytes, kPoison);
    const bool in_place = placement == Placement::kInPlace;
    FillWith(InputBlock(values_, RankOf(core), range.begin, range.count), 0,
             case_.type, Bytes(in_place ? rank.output : rank.input, range));
  }
}

void BenchBuffers::Before(Placement placement) {
  if (shape_.cores) return Fold(placement);
  if (placement == Placement::kInPlace) return;
  const Range range = InputRange(case_, shape_.ranks(), host_);
  Copy(Bytes(ranks_[0].input, range), Bytes(ranks_[0].output, range));
}

CollectiveBuffer BenchBuffers::travelling() {
  const Range all = {0, TravellingElements(case_, shape_)};
  CollectiveBuffer buffer(Bytes(shape_.cores ? folded_ : ranks_[0].output, all),
                          case_.type, ReductionOf(case_.op));
  buffer.wire = shape_.wire;
  return buffer;
}

void BenchBuffers::After() {
  if (case_.op == BenchOp::kAvg) {
    const Range mine = OutputRange(case_, shape_.hosts, host_);
    DivideBy(shape_.ranks(), case_.type,
             Bytes(shape_.cores ? folded_ : ranks_[0].output, mine));
  }
  if (shape_.cores) Unfold();
}

void BenchBuffers::Fold(Placement placement) {
  if (Reduces(case_.collective)) return FoldReduced(placement);
  if (case_.collective == Collective::kAllToAll) {
    return Exchange(placement, /*fold=*/true);
  }
  for (int core = 0; core < shape_.ranks_per_host; ++core) {
    const Range range = InputRange(case_, shape_.ranks(), RankOf(core));
    const Rank& rank = ranks_[core];
    Copy(Bytes(placement == Placement::kInPlace ? rank.output : rank.input,
               range),
         Bytes(folded_, range));
  }
}

// Core 0's values, then core 1's added, and so on.
void BenchBuffers::FoldReduced(Placement placement) {
  const ElementRules rules = {case_.type, ReductionOf(case_.op), case_.type};
  for (std::int64_t begin = 0; begin < case_.elements; begin += kFoldElements) {
    const Range piece = {begin,
                         std::min(kFoldElements, case_.elements - begin)};
    const std::span<std::byte> sum = Bytes(folded_, piece);
    for (int core = 0; core < shape_.ranks_per_host; ++core) {
      const Rank& rank = ranks_[core];
      const std::span<const std::byte> value = Bytes(
          placement == Placement::kInPlace ? rank.output : rank.input, piece);
      if (core == 0) {
        Copy(value, sum);
      } else {
        ReduceLocal(rules, value, sum);
      }
    }
  }
}

// What travels in an all_to_all among cores: for each host, for each of its
// cores to, for each core from of the sending host, one block. Core c's buffer
// has one block per rank. Folded, "from" is a core of this host; after the
// exchange, "to" is.
void BenchBuffers::Exchange(Placement placement, bool fold) {
  const int cores = shape_.ranks_per_host;
  const std::int64_t block = case_.count;
  for (int host = 0; host < shape_.hosts; ++host) {
    for (int to = 0; to < cores; ++to) {
      for (int from = 0; from < cores; ++from) {
        const std::span<std::byte> travels =
            Bytes(folded_,
                  {((std::int64_t{host} * cores + to) * cores + from) * block,
                   block});
        const Rank& rank = ranks_[fold ? from : to];
        const Range peer = {
            (std::int64_t{host} * cores + (fold ? to : from)) * block, block};
        if (!fold) {
          Copy(travels, Bytes(rank.output, peer));
        } else {
          Copy(
              Bytes(placement == Placement::kInPlace ? rank.output : rank.input,
                    peer),
              travels);
        }
      }
    }
  }
}

void BenchBuffers::Unfold() {
  if (case_.collective == Collective::kAllToAll) {
    return Exchange(Placement::kInPlace, /*fold=*/false);
  }
  for (int core = 0; core < shape_.ranks_per_host; ++core) {
    const Range range = OutputRange(case_, shape_.ranks(), RankOf(core));
    Copy(Bytes(folded_, range), Bytes(ranks_[core].output, range));
  }
}

std::int64_t BenchBuffers::CountWrong(Placement placement,
                                      const ValueBlock& reduced) const {
  std::int64_t wrong = CountWrongOutputs(reduced);
  if (placement == Placement::kInPlace) return wrong;
  for (int core = 0; core < shape_.ranks_per_host; ++core) {
    const Range range = InputRange(case_, shape_.ranks(), RankOf(core));
    wrong += CountDifferent(
        InputBlock(values_, RankOf(core), range.begin, range.count), 0,
        case_.type, Bytes(ranks_[core].input, range));
  }
  return wrong;
}

std::int64_t BenchBuffers::CountWrongOutputs(const ValueBlock& reduced) const {
  switch (case_.collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
      return CountUnlike(reduced);
    case Collective::kBroadcast:
      return CountUnlike(InputBlock(values_, case_.root, 0, case_.elements));
    case Collective::kAllGather:
    case Collective::kAllToAll:
      break;
    case Collective::kBarrier:
      return 0;
  }
  std::int64_t wrong = 0;
  for (int from = 0; from < shape_.ranks(); ++from) {
    wrong += CountWrongShares(from);
  }
  return wrong;
}

// Outputs that should be all alike: `block` from element 0 on.
std::int64_t BenchBuffers::CountUnlike(const ValueBlock& block) const {
  std::int64_t wrong = 0;
  for (int core = 0; core < shape_.ranks_per_host; ++core) {
    const Range range = OutputRange(case_, shape_.ranks(), RankOf(core));
    wrong += CountDifferent(block, range.begin, case_.type,
                            Bytes(ranks_[core].output, range));
  }
  return wrong;
}

// What came from rank `from`: its own share in a gather, in an exchange what it
// had for each of this host's ranks, which lies side by side there.
std::int64_t BenchBuffers::CountWrongShares(int from) const {
  const bool gathered = case_.collective == Collective::kAllGather;
  const std::int64_t count = case_.count;
  const std::int64_t first = (gathered ? from : RankOf(0)) * count;
  const ValueBlock block = InputBlock(
      values_, from, first, gathered ? count : count * shape_.ranks_per_host);
  std::int64_t wrong = 0;
  for (int core = 0; core < shape_.ranks_per_host; ++core) {
    wrong += CountDifferent(block, gathered ? 0 : core * count, case_.type,
                            Bytes(ranks_[core].output, {from * count, count}));
  }
  return wrong;
}

}  // namespace podsim
