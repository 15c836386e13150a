// What travels for sends that pass on what was received: past the buffer up to
// a bound, out of it beyond, the same bytes either way.
#include "interconnect/collectives/plan_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::IsOk;
using testing::StatusIs;

constexpr std::int64_t kChunk = 1 << 18;  // elements: 1 MiB of float32
constexpr int kWorld = 3;
constexpr int kChunks = 8;  // of a segment

std::shared_ptr<const PlanTables> TablesOf(const RankPlan& plan) {
  absl::StatusOr<PlanIndex> index = IndexPlan(plan);
  PODSIM_CHECK(index.ok());
  return std::make_shared<const PlanTables>(
      PlanTables{*std::move(index), FindRelays(plan)});
}

// Rank 0 of a ring of three whose successor takes nothing: all sums of the
// first step arrive, and none is sent.
class StalledRing : public ::testing::TestWithParam<ElementType> {
 protected:
  StalledRing()
      : plan_(std::make_shared<const RankPlan>(
            RingAllReduce({{0, 1, 2}, kWorld * kChunks * kChunk, kChunk}, 0))),
        values_(plan_->elements, 1.0F) {
    CollectiveBuffer buffer(values_);
    buffer.wire = GetParam();
    run_ = std::make_unique<PlanRun>(plan_, TablesOf(*plan_), buffer);
    relays_ = FindRelays(*plan_);
  }

  // The receives whose sums only pass through.
  std::vector<std::int32_t> Passing() const {
    std::vector<std::int32_t> passing;
    for (std::size_t i = 0; i < relays_.size(); ++i) {
      if (relays_[i].passing) passing.push_back(static_cast<std::int32_t>(i));
    }
    return passing;
  }
  // Chunks of 2.5, which bfloat16 holds.
  std::vector<std::byte> Frame() const {
    const std::vector<float> floats(kChunk, 2.5F);
    if (GetParam() == ElementType::kFloat32) {
      const auto bytes = std::as_bytes(std::span(floats));
      return {bytes.begin(), bytes.end()};
    }
    const std::vector<std::uint16_t> halves(kChunk, 0x4020);
    const auto bytes = std::as_bytes(std::span(halves));
    return {bytes.begin(), bytes.end()};
  }
  // How many sums of 3.5 the buffer holds, in chunks.
  int ChunksInBuffer() const {
    int chunks = 0;
    for (const std::int32_t op : Passing()) {
      chunks += values_[plan_->ops[op].range.begin] == 3.5F ? 1 : 0;
    }
    return chunks;
  }

  const std::shared_ptr<const RankPlan> plan_;
  std::vector<float> values_;
  std::unique_ptr<PlanRun> run_;
  std::vector<Relay> relays_;
};
INSTANTIATE_TEST_SUITE_P(Wire, StalledRing,
                         ::testing::Values(ElementType::kFloat32,
                                           ElementType::kBfloat16),
                         [](const auto& info) {
                           return std::string(NameOf(info.param));
                         });

TEST_P(StalledRing, SumsPassTheBufferUpToABound) {
  const std::vector<std::byte> frame = Frame();
  const std::uint32_t crc = Crc32c(frame);
  const std::vector<std::int32_t> receives = Passing();
  ASSERT_EQ(receives.size(), kChunks);
  for (const std::int32_t op : receives) {
    EXPECT_THAT(run_->Take(op, Payload({frame}, nullptr, crc), nullptr),
                IsOk());
  }
  const std::size_t bound = kMostPassingBytes / frame.size();
  EXPECT_EQ(ChunksInBuffer(),
            std::max<int>(0, kChunks - static_cast<int>(bound)));
  for (const std::int32_t op : receives) {
    const std::int32_t send = relays_[op].send;
    const Outgoing out = run_->PayloadOf(send);
    EXPECT_EQ(run_->PayloadOf(send).bytes.data(), out.bytes.data());
    ASSERT_EQ(out.bytes.size(), frame.size());
    if (out.checksum) {
      EXPECT_EQ(*out.checksum, Crc32c(out.bytes));
    }
    // 3.5 as float32, or its upper half.
    const std::size_t last = out.bytes.size() - 2;
    EXPECT_EQ(out.bytes[last], std::byte{0x60});
    EXPECT_EQ(out.bytes[last + 1], std::byte{0x40});
    run_->ReturnPayload(send);
  }
}

TEST_P(StalledRing, MemoryThatCameBackIsUsedAgain) {
  const std::vector<std::byte> frame = Frame();
  for (const std::int32_t op : Passing()) {
    EXPECT_THAT(run_->Take(op, Payload({frame}, nullptr), nullptr), IsOk());
    run_->PayloadOf(relays_[op].send);
    run_->ReturnPayload(relays_[op].send);
  }
  EXPECT_EQ(ChunksInBuffer(), 0);
}

TEST_P(StalledRing, DamageShows) {
  std::vector<std::byte> frame = Frame();
  const std::uint32_t crc = Crc32c(frame);
  frame[1000] ^= std::byte{4};
  EXPECT_THAT(
      run_->Take(Passing()[0], Payload({frame}, nullptr, crc), nullptr),
      StatusIs(absl::StatusCode::kDataLoss, ::testing::HasSubstr("checksum")));
}

// What is streamed in one collective of this many bytes among four.
int CopiesPastTheCaches(Collective collective, Algorithm algorithm,
                        std::size_t bytes) {
  const auto elements = static_cast<std::int64_t>(bytes / sizeof(float));
  const auto plan = std::make_shared<const RankPlan>(testing::AllPlans(
      testing::MakeRequest(collective, algorithm, 4, elements, kChunk))[0]);
  std::vector<float> values(plan->elements);
  const PlanRun run(plan, TablesOf(*plan), CollectiveBuffer(values));
  int streamed = 0;
  for (std::size_t i = 0; i < plan->ops.size(); ++i) {
    const auto op = static_cast<std::int32_t>(i);
    if (plan->ops[i].kind != OpKind::kReceiveCopy) continue;
    const bool passed_on = run.SendMadeBy(op) >= 0;
    EXPECT_EQ(passed_on ? run.StoresOf(op, false) : Stores::kCached,
              Stores::kCached);
    streamed += run.StoresOf(op, passed_on) == Stores::kStreaming ? 1 : 0;
  }
  return streamed;
}

TEST(PlanRun, StreamsLargeCopiesThatNothingReads) {
  constexpr std::size_t kBytes = kStreamedBufferBytes;
  // Three segments of the buffer, all that is gathered.
  EXPECT_EQ(
      CopiesPastTheCaches(Collective::kAllReduce, Algorithm::kRing, kBytes),
      3 * kBytes / 4 / (kChunk * sizeof(float)));
  EXPECT_EQ(
      CopiesPastTheCaches(Collective::kAllReduce, Algorithm::kRing, kBytes - 4),
      0);
  // What comes waits in scratch, from where it is copied.
  EXPECT_EQ(
      CopiesPastTheCaches(Collective::kAllToAll, Algorithm::kDirect, kBytes),
      0);
}

}  // namespace
}  // namespace podsim
