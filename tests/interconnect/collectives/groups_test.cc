// Groups that share hosts, each with its own executors, algorithm and buffers,
// all at once over one transport per process: the bits are those of each group
// by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/transport/group_mux.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/collectives/order_oracle.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using testing::AllPlans;
using testing::IsOk;
using testing::MakeRequest;
using testing::RandomInputs;
using testing::SumInOrderOf;

constexpr int kHosts = 5;
// All-reduces that every group has in progress at once: together they are more
// than a pair of hosts may have in flight.
constexpr int kSequences = 6;
constexpr absl::Duration kDeadline = absl::Seconds(60);

// One group, and what it is to add up.
struct Team {
  Team(std::uint32_t id, std::vector<int> members, Algorithm algorithm,
       std::int64_t elements)
      : group(id), hosts(std::move(members)) {
    const int world = static_cast<int>(hosts.size());
    const PlanRequest request = MakeRequest(Collective::kAllReduce, algorithm,
                                            world, elements, /*chunk=*/4096);
    for (RankPlan& plan : AllPlans(request)) {
      plans.push_back(std::make_shared<const RankPlan>(std::move(plan)));
    }
    for (int i = 0; i < kSequences; ++i) {
      buffers.push_back(RandomInputs(world, elements, 10 * id + i));
      expected.push_back(SumInOrderOf(request, buffers.back()));
    }
  }

  // -1: not in the group.
  int PositionOf(int host) const {
    const auto at = std::find(hosts.begin(), hosts.end(), host);
    return at == hosts.end() ? -1 : static_cast<int>(at - hosts.begin());
  }
  void ExpectExact() const {
    for (int i = 0; i < kSequences; ++i) {
      for (std::size_t position = 0; position < hosts.size(); ++position) {
        EXPECT_TRUE(buffers[i][position] == expected[i])
            << "group " << group << ", sequence " << i << ", host "
            << hosts[position];
      }
    }
  }

  std::uint32_t group;
  std::vector<int> hosts;  // by position
  std::vector<std::shared_ptr<const RankPlan>> plans;
  std::vector<std::vector<std::vector<float>>> buffers;  // [sequence][position]
  std::vector<std::vector<float>> expected;              // [sequence]
};

std::vector<Team> MakeTeams() {
  std::vector<Team> teams;
  teams.emplace_back(10, std::vector{0, 1, 2}, Algorithm::kRing, 150'000);
  teams.emplace_back(11, std::vector{3, 1}, Algorithm::kHalvingDoubling,
                     100'000);
  teams.emplace_back(12, std::vector{4, 0, 3, 2}, Algorithm::kTorus2d, 200'000);
  return teams;
}

// An executor for a host of a team, with all its collectives started.
std::unique_ptr<Executor> StartTeam(GroupMux& mux, const Clock& clock,
                                    Team& team, int host) {
  const int position = team.PositionOf(host);
  auto executor = std::make_unique<Executor>(
      mux.OfGroup(team.group), clock,
      Executor::Options{
          .host = host, .group = team.group, .hosts = team.hosts});
  for (int i = 0; i < kSequences; ++i) {
    EXPECT_THAT(
        executor->Start(
            i, team.plans[position], team.buffers[i][position], "overlap",
            [](const absl::Status& status) { EXPECT_THAT(status, IsOk()); }),
        IsOk());
  }
  return executor;
}

// What one process does. Hosts take up their groups in orders of their own, and
// frames come meanwhile.
void RunProcess(std::unique_ptr<Transport> transport,
                std::vector<Team>& teams) {
  SystemClock clock;
  GroupMux mux(*transport);
  std::vector<std::unique_ptr<Executor>> executors;
  for (const int host : transport->local_hosts()) {
    for (std::size_t i = 0; i < teams.size(); ++i) {
      Team& team = teams[(i + host) % teams.size()];
      if (team.PositionOf(host) < 0) continue;
      executors.push_back(StartTeam(mux, clock, team, host));
      mux.Poll(absl::ZeroDuration());
    }
  }
  const absl::Time until = clock.Now() + kDeadline;
  for (const auto& executor : executors) {
    while (!executor->idle()) {
      ASSERT_LT(clock.Now(), until) << executor->waiting().what;
      mux.Poll(absl::Milliseconds(100));
    }
  }
}

class OverlappingGroups : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Processes, OverlappingGroups,
                         ::testing::Values(1, 2, kHosts));

TEST_P(OverlappingGroups, GiveTheBitsOfEachByItself) {
  const int processes = GetParam();
  std::vector<Team> teams = MakeTeams();
  InProcessNetwork network;
  std::vector<std::unique_ptr<Transport>> transports;
  for (int process = 0; process < processes; ++process) {
    std::vector<int> local;
    for (int host = process; host < kHosts; host += processes) {
      local.push_back(host);
    }
    transports.push_back(network.Join(local));
  }
  {
    std::vector<std::jthread> threads;
    for (auto& transport : transports) {
      threads.emplace_back([&teams, own = std::move(transport)]() mutable {
        RunProcess(std::move(own), teams);
      });
    }
  }
  for (const Team& team : teams) team.ExpectExact();
}

TEST(GroupThatIsGivenUp, HarmsNoOther) {
  std::vector<Team> teams = MakeTeams();
  InProcessNetwork network;
  const auto transport = network.Join({0, 1, 2, 3, 4});
  SimClock clock;
  GroupMux mux(*transport);
  std::vector<std::vector<std::unique_ptr<Executor>>> executors(teams.size());
  for (std::size_t i = 0; i < teams.size(); ++i) {
    for (const int host : teams[i].hosts) {
      executors[i].push_back(StartTeam(mux, clock, teams[i], host));
    }
  }
  mux.Poll(absl::ZeroDuration());
  ASSERT_FALSE(executors[2][0]->idle());
  executors[2].clear();
  teams[2].buffers.clear();  // nothing reads them any more
  while (mux.Poll(absl::ZeroDuration()) > 0) {
  }
  for (const std::size_t i : {0, 1}) {
    for (const auto& executor : executors[i]) {
      EXPECT_TRUE(executor->idle()) << executor->waiting().what;
    }
    teams[i].ExpectExact();
  }
}

}  // namespace
}  // namespace podsim
