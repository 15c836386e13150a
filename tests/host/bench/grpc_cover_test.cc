// All-reduces over real gRPC: a pairwise cover of all that can be chosen about
// them, on pods of which each serves many cases. The full matrix runs in
// process (tests/interconnect/collectives).
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "job/bench_buffers.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/interconnect/transport/grpc/grpc_group.h"
#include "tests/testing/pairwise.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr std::uint32_t kSeed = 4;

enum Parameter {
  kWorld,
  kNetwork,
  kAlgorithm,
  kSize,
  kChunk,
  kType,
  kWire,
  kOp,
  kPlacement
};

constexpr int kWorlds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
constexpr Line kNetworks[] = {Line::kSharedMemory, Line::kUnixSocket,
                              Line::kTcp};
constexpr std::int64_t kChunks[] = {4096, 131072};
constexpr ElementType kTypes[] = {ElementType::kFloat32, ElementType::kBfloat16,
                                  ElementType::kInt32};
constexpr BenchOp kOps[] = {BenchOp::kSum, BenchOp::kAvg, BenchOp::kMin,
                            BenchOp::kMax, BenchOp::kProd};
constexpr Placement kPlacements[] = {Placement::kInPlace,
                                     Placement::kOutOfPlace};

std::vector<std::int64_t> AllSizes(int world) {
  std::vector<std::int64_t> sizes = SizesFor(world);
  sizes.push_back(1 << 20);
  return sizes;
}

template <typename Values>
int CountOf(const Values& values) {
  return static_cast<int>(std::size(values));
}

const std::vector<Choice>& Cover() {
  static const auto* const cover = new std::vector<Choice>(PairwiseCover(
      {CountOf(kWorlds), CountOf(kNetworks), CountOf(AllAlgorithms()),
       CountOf(AllSizes(1)), CountOf(kChunks), CountOf(kTypes), /*wires=*/2,
       CountOf(kOps), CountOf(kPlacements)},
      [](const Choice& it) {
        const bool narrow = it[kWire] == 1;
        return !narrow || kTypes[it[kType]] == ElementType::kFloat32;
      },
      kSeed));
  return *cover;
}

PlanRequest RequestFor(const Choice& it) {
  const int world = kWorlds[it[kWorld]];
  return MakeRequest(Collective::kAllReduce, AllAlgorithms()[it[kAlgorithm]],
                     world, AllSizes(world)[it[kSize]], kChunks[it[kChunk]]);
}

BenchCase CaseFor(const Choice& it) {
  BenchCase one = {.type = kTypes[it[kType]], .op = kOps[it[kOp]]};
  one.elements = one.count = RequestFor(it).elements;
  one.bytes = one.elements * static_cast<std::int64_t>(SizeOf(one.type));
  return one;
}

BenchShape ShapeFor(const Choice& it) {
  const bool narrow = it[kWire] == 1;
  return {.hosts = kWorlds[it[kWorld]],
          .wire = narrow ? ElementType::kBfloat16 : kTypes[it[kType]]};
}

std::string InWords(const Choice& it) {
  const BenchCase one = CaseFor(it);
  return absl::StrCat(
      Describe(RequestFor(it)), ", ", std::string(NameOf(one.op)), " of ",
      std::string(NameOf(one.type)), " as ",
      std::string(NameOf(ShapeFor(it).wire)),
      kPlacements[it[kPlacement]] == Placement::kInPlace ? ", in place"
                                                         : ", out of place",
      ", over ", OverGrpc(kNetworks[it[kNetwork]]).name, ", seed ", kSeed);
}

// A host per transport, all polled on this thread.
class ExecutorPod {
 public:
  ExecutorPod(int world, Line network)
      : pod_(OverGrpc(network), OneToEach(world)) {
    std::vector<int> everyone(static_cast<std::size_t>(world));
    std::iota(everyone.begin(), everyone.end(), 0);
    for (const int host : everyone) {
      executors_.push_back(std::make_unique<Executor>(
          pod_.of(host), clock_,
          Executor::Options{
              .host = host, .generation = kGeneration, .hosts = everyone}));
    }
  }

  // After a test failure the pod is of no more use.
  void ExpectExact(const Choice& choice) {
    SCOPED_TRACE(InWords(choice));
    const BenchCase one = CaseFor(choice);
    const BenchShape shape = ShapeFor(choice);
    const Placement placement = kPlacements[choice[kPlacement]];
    buffers_.clear();
    for (int host = 0; host < shape.hosts; ++host) {
      buffers_.emplace_back(one, shape, host).Fill(placement);
    }
    AllReduce(AllPlans(RequestFor(choice)), placement);
    if (::testing::Test::HasFailure()) return;
    const ValueBlock reduced =
        ReducedBlock(ValuesOf(one, shape), 0, one.elements);
    for (int host = 0; host < shape.hosts; ++host) {
      EXPECT_EQ(buffers_[host].CountWrong(placement, reduced), 0)
          << "elements of host " << host;
    }
  }

 private:
  static std::vector<std::vector<int>> OneToEach(int world) {
    std::vector<std::vector<int>> hosts;
    for (int host = 0; host < world; ++host) hosts.push_back({host});
    return hosts;
  }

  void AllReduce(std::vector<RankPlan> plans, Placement placement) {
    ++sequence_;
    std::size_t done = 0;
    for (std::size_t host = 0; host < plans.size(); ++host) {
      buffers_[host].Before(placement);
      ASSERT_THAT(executors_[host]->Start(
                      sequence_,
                      std::make_shared<const RankPlan>(std::move(plans[host])),
                      buffers_[host].travelling(), "cover",
                      [&done](const absl::Status& status) {
                        EXPECT_THAT(status, IsOk());
                        ++done;
                      }),
                  IsOk());
    }
    pod_.PollUntil([&] { return done == plans.size(); });
    for (std::size_t host = 0; host < plans.size(); ++host) {
      ASSERT_TRUE(executors_[host]->idle()) << executors_[host]->waiting().what;
      buffers_[host].After();
    }
  }

  const SystemClock clock_;
  std::vector<BenchBuffers> buffers_;  // before the transports, which read them
  TestPod pod_;
  std::vector<std::unique_ptr<Executor>> executors_;
  std::uint64_t sequence_ = 0;
};

// World and network, as indices.
class GrpcCoverTest : public ::testing::TestWithParam<std::tuple<int, int>> {};

INSTANTIATE_TEST_SUITE_P(
    All, GrpcCoverTest,
    ::testing::Combine(::testing::Range(0, CountOf(kWorlds)),
                       ::testing::Range(0, CountOf(kNetworks))),
    [](const auto& info) {
      return absl::StrCat(kNetworks[std::get<1>(info.param)], "_",
                          kWorlds[std::get<0>(info.param)]);
    });

TEST_P(GrpcCoverTest, SumsAreExact) {
  const auto [world, network] = GetParam();
  ExecutorPod pod(kWorlds[world], kNetworks[network]);
  int cases = 0;
  for (const Choice& choice : Cover()) {
    if (choice[kWorld] != world || choice[kNetwork] != network) continue;
    pod.ExpectExact(choice);
    if (HasFailure()) return;
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

}  // namespace
}  // namespace podsim::testing
