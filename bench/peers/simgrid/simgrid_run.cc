// An actor for each link sends what leaves its chip by it, one piece after the
// other in the plan's order: a transfer, then the time that the link is taken.
// An actor for each pair of chips receives. Behind the first link SimGrid
// shares the links as it will.
#include "simgrid_run.h"

#include <chrono>
#include <map>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>

#include "interconnect/collectives/plan_index.h"

namespace {

namespace sg4 = simgrid::s4u;
using podsim::PlanIndex;
using podsim::PlanProgress;
using podsim::SimHop;
using podsim::SimLinks;
using podsim::SimPath;
using podsim::SimRank;

// Sends of one rank over one link.
struct Feed {
  std::vector<std::int32_t> sends;
  sg4::Actor* sleeper = nullptr;  // waits for its next send to be ready
};

// One rank: actors take turns, so nothing is locked.
struct Chip {
  explicit Chip(const SimRank& of)
      : rank(of),
        progress(of.plan->index),
        arrived(of.plan->ops.size(), false),
        feed_of(of.plan->ops.size(), nullptr) {}

  const SimRank& rank;
  PlanProgress progress;
  std::vector<bool> arrived;
  std::map<std::uint32_t, Feed> feeds;  // by link
  std::vector<Feed*> feed_of;           // by op

  void Finish(std::int32_t op) {
    std::vector<std::int32_t> ready = {op};
    while (!ready.empty()) {
      const std::int32_t finished = ready.back();
      ready.pop_back();
      progress.Finish(finished, [&](std::int32_t freed) {
        if (feed_of[freed] != nullptr) {
          if (feed_of[freed]->sleeper != nullptr)
            std::exchange(feed_of[freed]->sleeper, nullptr)->resume();
        } else if (arrived[freed] || rank.plan->index.peer_of[freed] < 0) {
          ready.push_back(freed);
        }
      });
    }
  }
};

class Pod {
 public:
  Pod(const std::vector<SimRank>& ranks, const SimLinks& links)
      : links_(links) {
    for (const SimRank& rank : ranks)
      chips_.push_back(std::make_unique<Chip>(rank));
    MakePlatform();
    for (std::size_t chip = 0; chip < chips_.size(); ++chip) MakeActors(chip);
  }

  std::size_t transfers() const { return transfers_; }

 private:
  void MakePlatform() {
    auto* zone = sg4::create_full_zone("pod");
    for (std::size_t chip = 0; chip < chips_.size(); ++chip)
      hosts_.push_back(
          zone->create_host("chip" + std::to_string(chip), 1.0)->seal());
    std::vector<sg4::Link*> wires;
    for (int link = 0; link < links_.count; ++link)
      wires.push_back(zone->create_link("link" + std::to_string(link),
                                        links_.bytes_per_second)
                          ->set_latency(links_.hop.seconds())
                          ->seal());
    for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
      for (const SimPath& path : chips_[chip]->rank.paths) {
        if (path.hops.empty()) continue;
        std::vector<sg4::LinkInRoute> way;
        for (const SimHop& hop : path.hops) way.emplace_back(wires[hop.link]);
        zone->add_route(hosts_[chip]->get_netpoint(),
                        hosts_[path.to]->get_netpoint(), nullptr, nullptr, way,
                        /*symmetrical=*/false);
      }
    }
    zone->seal();
  }

  void MakeActors(std::size_t number) {
    Chip& chip = *chips_[number];
    const podsim::SimPlan& plan = *chip.rank.plan;
    std::vector<std::int32_t> sends_to(chip.rank.paths.size(), 0);
    for (std::size_t op = 0; op < plan.ops.size(); ++op) {
      if (plan.ops[op].send < 0) continue;
      const std::int32_t peer = plan.index.peer_of[op];
      Feed& feed = chip.feeds[chip.rank.paths[peer].hops.front().link];
      feed.sends.push_back(static_cast<std::int32_t>(op));
      chip.feed_of[op] = &feed;
      ++sends_to[peer];
      ++transfers_;
    }
    for (auto& [link, feed] : chip.feeds)
      sg4::Actor::create("send", hosts_[number],
                         [this, &chip, &feed] { Send(chip, feed); });
    for (std::size_t peer = 0; peer < sends_to.size(); ++peer) {
      if (sends_to[peer] == 0) continue;
      const SimPath& path = chip.rank.paths[peer];
      sg4::Mailbox* box = BoxOf(path);
      const auto actor =
          sg4::Actor::create("receive", hosts_[path.to],
                             [this, box, &path, count = sends_to[peer]] {
                               Receive(*chips_[path.to], *box, path, count);
                             });
      box->set_receiver(actor);  // a transfer begins when it is sent
    }
    // What waits for nothing and moves nothing.
    for (const std::int32_t op : plan.index.first_local) chip.Finish(op);
  }

  static sg4::Mailbox* BoxOf(const SimPath& path) {
    return sg4::Mailbox::by_name(
        std::to_string(reinterpret_cast<std::uintptr_t>(&path)));
  }

  void Send(Chip& chip, Feed& feed) {
    const podsim::SimPlan& plan = *chip.rank.plan;
    for (const std::int32_t op : feed.sends) {
      while (!chip.progress.ready(op)) {
        feed.sleeper = sg4::Actor::self();
        sg4::this_actor::suspend();
      }
      const auto bytes = static_cast<double>(plan.ops[op].bytes);
      const SimPath& path = chip.rank.paths[plan.index.peer_of[op]];
      BoxOf(path)
          ->put_init(const_cast<podsim::SimOp*>(&plan.ops[op]), bytes)
          ->detach();
      sg4::this_actor::sleep_for(bytes / links_.bytes_per_second);
      chip.Finish(op);
    }
  }

  static void Receive(Chip& chip, sg4::Mailbox& box, const SimPath& path,
                      int count) {
    for (int i = 0; i < count; ++i) {
      const auto* op = box.get<podsim::SimOp>();
      const std::int32_t receive =
          chip.rank.plan->index.FindReceive(path.from, op->chunk);
      chip.arrived[receive] = true;
      if (chip.progress.ready(receive)) chip.Finish(receive);
    }
  }

  const SimLinks& links_;
  std::vector<std::unique_ptr<Chip>> chips_;
  std::vector<sg4::Host*> hosts_;
  std::size_t transfers_ = 0;
};

// The plain model: a transfer takes its latency and then its share of the
// narrowest link.
void Configure() {
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
        "network/latency-factor:1", "network/bandwidth-factor:1",
        "network/weight-S:0", "contexts/stack-size:32"})
    sg4::Engine::set_config(setting);
}

}  // namespace

SimGridResult RunOnSimGrid(const std::vector<SimRank>& ranks,
                           const SimLinks& links) {
  char name[] = "simgrid_collective";
  char log[] = "--log=root.thresh:error";
  char* arguments[] = {name, log, nullptr};
  int count = 2;
  sg4::Engine engine(&count, arguments);
  Configure();
  const Pod pod(ranks, links);
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  return {
      sg4::Engine::get_clock(),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count(),
      pod.transfers()};
}
