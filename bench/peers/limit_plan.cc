#include "limit_plan.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "options.h"

namespace podsim::peers {
namespace {

struct Range {
  std::size_t begin = 0;
  std::size_t count = 0;
};

Range Segment(std::size_t elements, int ranks, int index) {
  const std::size_t share = elements / static_cast<std::size_t>(ranks);
  const std::size_t longer = elements % static_cast<std::size_t>(ranks);
  const auto i = static_cast<std::size_t>(index);
  return {i * share + std::min(i, longer), share + (i < longer ? 1 : 0)};
}

// The ranges of halving, for one rank: after each exchange what it keeps and
// what it gives away.
struct Halving {
  int peer = 0;
  Range kept;
  Range given;
};

std::vector<Halving> Halvings(std::size_t elements, int ranks, int rank) {
  std::vector<Halving> halvings;
  Range mine{0, elements};
  for (int distance = ranks / 2; distance > 0; distance /= 2) {
    const int peer = rank ^ distance;
    const Range low{mine.begin, mine.count / 2};
    const Range high{mine.begin + low.count, mine.count - low.count};
    mine = rank < peer ? low : high;
    halvings.push_back({peer, mine, rank < peer ? high : low});
  }
  return halvings;
}

class Builder {
 public:
  Builder(const PlanOptions& options, int rank)
      : options_(options), rank_(rank) {}

  // Ranges that contain `position` are cut there, so that any two pieces are
  // the same or apart. REQUIRES: called before Add.
  void CutAt(std::size_t position) { cuts_.insert(position); }

  // The ops of one range, chunk by chunk. Each waits for the last receive into
  // its chunk.
  void Add(OpKind kind, int peer, Range range) {
    const std::size_t end = range.begin + range.count;
    for (std::size_t begin = range.begin; begin < end;) {
      std::size_t stop =
          std::min(end, (begin / options_.chunk + 1) * options_.chunk);
      const auto cut = cuts_.upper_bound(begin);
      if (cut != cuts_.end()) stop = std::min(stop, *cut);
      const auto received = received_.find(begin);
      const int after = received == received_.end() ? -1 : received->second;
      if (kind != OpKind::kSend) {
        received_[begin] = static_cast<int>(ops_.size());
      }
      ops_.push_back({kind, peer, begin, stop - begin, 0, after});
      begin = stop;
    }
  }

  void AddWhole(Op op) { ops_.push_back(op); }

  Range SegmentOf(int index) const {
    const int wrapped = (index + options_.ranks) % options_.ranks;
    return Segment(options_.elements, options_.ranks, wrapped);
  }

  Plan Take(std::size_t scratch, bool in_sequence) {
    return {std::move(ops_), scratch, in_sequence};
  }

  const PlanOptions& options() const { return options_; }
  int rank() const { return rank_; }

 private:
  const PlanOptions options_;
  const int rank_;
  std::vector<Op> ops_;
  std::set<std::size_t> cuts_;
  std::map<std::size_t, int> received_;  // begin of a piece -> last receive
};

Plan Ring(Builder builder) {
  const int ranks = builder.options().ranks;
  const int rank = builder.rank();
  const int next = (rank + 1) % ranks;
  const int previous = (rank + ranks - 1) % ranks;
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    const bool sums = step < ranks - 1;
    const int round = sums ? step : step - (ranks - 1) - 1;
    builder.Add(OpKind::kSend, next, builder.SegmentOf(rank - round));
    builder.Add(sums ? OpKind::kReceiveSum : OpKind::kReceiveCopy, previous,
                builder.SegmentOf(rank - round - 1));
  }
  return builder.Take(0, false);
}

Plan DirectTwoPhase(Builder builder) {
  const int ranks = builder.options().ranks;
  const int rank = builder.rank();
  const Range own = builder.SegmentOf(rank);
  const auto everyone = [&](OpKind kind, bool own_segment) {
    for (int i = 1; i < ranks; ++i) {
      const int peer = (rank + i) % ranks;
      builder.Add(kind, peer, own_segment ? own : builder.SegmentOf(peer));
    }
  };
  everyone(OpKind::kSend, false);
  everyone(OpKind::kReceiveSum, true);
  everyone(OpKind::kSend, true);
  everyone(OpKind::kReceiveCopy, false);
  return builder.Take(0, false);
}

// Adds in rank order on every rank, so that all get the same bits: what comes
// from lower ranks is summed aside first.
Plan Direct(Builder builder) {
  const auto [algorithm, ranks, elements, chunk, whole] = builder.options();
  const int rank = builder.rank();
  for (int i = 1; i < ranks; ++i) {
    builder.AddWhole({OpKind::kSend, (rank + i) % ranks, 0, elements});
  }
  for (int peer = 0; peer < rank; ++peer) {
    const OpKind kind = peer == 0 ? OpKind::kReceiveCopy : OpKind::kReceiveSum;
    builder.AddWhole({kind, peer, elements, elements});
  }
  if (rank > 0) {
    builder.AddWhole({OpKind::kSum, -1, 0, elements, elements});
  }
  for (int peer = rank + 1; peer < ranks; ++peer) {
    builder.AddWhole({OpKind::kReceiveSum, peer, 0, elements});
  }
  return builder.Take(elements, true);
}

Plan RecursiveDoubling(Builder builder) {
  for (int distance = 1; distance < builder.options().ranks; distance *= 2) {
    const int peer = builder.rank() ^ distance;
    const std::size_t elements = builder.options().elements;
    builder.AddWhole({OpKind::kSend, peer, 0, elements});
    builder.AddWhole({OpKind::kReceiveSum, peer, 0, elements});
  }
  return builder.Take(0, true);
}

Plan HalvingDoubling(Builder builder) {
  const auto [algorithm, ranks, elements, chunk, whole] = builder.options();
  for (int rank = 0; rank < ranks; ++rank) {
    builder.CutAt(Halvings(elements, ranks, rank).back().kept.begin);
  }
  const std::vector<Halving> halvings =
      Halvings(elements, ranks, builder.rank());
  for (const Halving& halving : halvings) {
    builder.Add(OpKind::kSend, halving.peer, halving.given);
    builder.Add(OpKind::kReceiveSum, halving.peer, halving.kept);
  }
  for (auto halving = halvings.rbegin(); halving != halvings.rend();
       ++halving) {
    builder.Add(OpKind::kSend, halving->peer, halving->kept);
    builder.Add(OpKind::kReceiveCopy, halving->peer, halving->given);
  }
  return builder.Take(0, false);
}

}  // namespace

Plan MakePlan(const PlanOptions& options, int rank) {
  Builder builder(options, rank);
  if (options.algorithm == "ring") return Ring(std::move(builder));
  if (options.algorithm == "direct") return Direct(std::move(builder));
  if (options.algorithm == "direct_two_phase") {
    return DirectTwoPhase(std::move(builder));
  }
  if (options.algorithm != "halving_doubling") {
    Die("--algo=" + options.algorithm +
        ": give ring, halving_doubling, direct or direct_two_phase");
  }
  if (!std::has_single_bit(static_cast<unsigned>(options.ranks))) {
    Die("halving_doubling needs 2, 4 or 8 ranks");
  }
  return options.elements <= options.whole
             ? RecursiveDoubling(std::move(builder))
             : HalvingDoubling(std::move(builder));
}

}  // namespace podsim::peers
