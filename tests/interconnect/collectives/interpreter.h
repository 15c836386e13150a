// Runs the plans of all ranks in a random order, with symbols for values, and
// reports what would go wrong: an op that touches bytes that a frame still
// reads, a frame that nobody expects, plans that wait for each other for ever.
//
//   Interpreter interpreter(plans, /*in_flight=*/1, seed);
//   ASSERT_TRUE(interpreter.Run()) << interpreter.error();
//   EXPECT_EQ(interpreter.buffer(rank)[i].shares, Everybody(world));
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_INTERPRETER_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_INTERPRETER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/plan_index.h"

namespace podsim::testing {

// What one element of a buffer holds.
struct Value {
  // How often each rank's contribution is in it: two bits for each of 32 ranks.
  std::uint64_t shares = 0;
  // Stands for the bits of the real thing: a hash of how they were made.
  // Operands may not be swapped (max(-0, 0) shows the order), and a value that
  // went over the wire is rounded, once.
  std::uint64_t bits = 0;
  // Where in a buffer it began; -1: made of several.
  std::int64_t place = 0;
  bool operator==(const Value&) const = default;
};

constexpr std::uint64_t Share(int rank) {
  return std::uint64_t{1} << (2 * rank);
}
// One share of each of the ranks: 0101...01 in binary.
constexpr std::uint64_t Everybody(int world) {
  return ~std::uint64_t{0} / 3 >> (64 - 2 * world);
}
// What element `place` of `rank` holds at the start.
Value Initial(int rank, std::int64_t place);
// The same after a wire narrower than the buffer: the lowest bit says so.
constexpr Value Rounded(Value value) {
  value.bits |= 1;
  return value;
}

// At most `in_flight` frames from one rank to another; the order of all that
// may happen is drawn from `seed`, and how sends end: a frame leaves its bytes
// where they are until it is consumed, and its send is done some time after
// that, or as late as can be (as on the in-process transport), or now and then
// before the frame arrives (as over a socket). `plans` must outlive this.
class Interpreter {
 public:
  Interpreter(const std::vector<RankPlan>& plans, int in_flight,
              std::uint32_t seed);

  // This rank never begins: it sends nothing and takes nothing.
  void Hold(int rank) { held_ = rank; }

  // A frame that has to wait for another one, with its credit, is an error:
  // collectives that share the credit of a pair could wait for each other. All
  // that needs no frame happens at once then.
  void RefuseFramesThatWait() { no_frame_waits_ = true; }

  // False: error() says why.
  bool Run();
  // Rank is through with its plan.
  bool ended(int rank) const { return progress_[rank].complete(); }

  // Without the scratch.
  std::span<const Value> buffer(int rank) const {
    return std::span(memory_[rank]).first(plans_[rank].elements);
  }
  std::int64_t sent(int rank) const { return sent_[rank]; }  // elements
  std::int64_t sent() const;                                 // by all
  const std::string& error() const { return error_; }

 private:
  enum class SendsEnd { kAtAnyTime, kLate, kSomeEarly };
  struct Frame {
    int from = 0;
    std::int32_t op = 0;        // the send
    bool early = false;         // it is done before this arrives,
    std::vector<Value> copied;  // and this is what it sent
  };
  struct Pair {
    std::deque<Frame> frames;
    int in_flight = 0;
  };
  // What may happen next: the first frame of a pair is delivered, a send is
  // done, a local op is carried out.
  struct Delivery {
    int from = 0;
    int to = 0;
  };
  struct OpOf {
    int rank = 0;
    std::int32_t op = 0;
  };

  Pair& PairOf(int from, int to) { return pairs_[from * plans_.size() + to]; }
  bool Step();
  void PostSends(int rank);
  void Post(int rank, std::int32_t op);
  void Deliver(int from, int to);
  void Consume(int to, std::int32_t op);
  void Combine(int rank, std::int32_t op);
  void CheckNotRead(int rank, const Range& range);
  void EndSend(int rank, std::int32_t op);
  void Finish(int rank, std::int32_t op);

  const std::vector<RankPlan>& plans_;
  const int in_flight_;
  std::mt19937 random_;
  const SendsEnd sends_end_;
  int held_ = -1;
  bool no_frame_waits_ = false;
  std::vector<PlanIndex> indexes_;
  std::vector<PlanProgress> progress_;
  std::vector<std::vector<Value>> memory_;  // buffer and scratch
  // Per rank: sends that are not done, by where their elements begin, and the
  // most elements of a send.
  std::vector<std::multimap<std::int64_t, std::int32_t>> reading_;
  std::vector<std::int64_t> longest_send_;
  // Per rank: op -> frame that arrived too early for it.
  std::vector<std::map<std::int32_t, Frame>> waiting_;
  std::vector<Pair> pairs_;
  std::vector<Delivery> deliveries_;
  std::vector<OpOf> locals_;
  std::vector<OpOf> send_dones_;
  std::vector<std::int64_t> sent_;
  std::string error_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_INTERPRETER_H_
