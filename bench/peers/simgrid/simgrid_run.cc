// A graph of activities that SimGrid runs by itself. A send is a transfer, and
// beside it a computation of the same length on a host that stands for the
// first link: what is sent over that link next waits for it. So pieces leave a
// chip one after the other, in the plan's order, as they do here; behind that
// SimGrid shares the links as it will.
#include "simgrid_run.h"

#include <chrono>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>

#include "interconnect/collectives/plan_index.h"

namespace {

namespace sg4 = simgrid::s4u;
using podsim::OpKind;
using podsim::PlanIndex;
using podsim::PlanOp;
using podsim::SimLinks;
using podsim::SimPath;
using podsim::SimRank;

// What others wait for when an op is awaited.
struct OpNode {
  sg4::ExecPtr done;          // the op, and all that it waits for
  sg4::CommPtr transfer;      // of a send
  sg4::ExecPtr transmission;  // of a send: until its first link is free
};

class Graph {
 public:
  Graph(const std::vector<SimRank>& ranks, const SimLinks& links)
      : ranks_(ranks), links_(links), last_(links.count) {
    MakePlatform();
    for (const SimRank& rank : ranks_)
      indexes_.push_back(*podsim::IndexPlan(rank.plan));
    nodes_.resize(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) MakeNodes(rank);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) Join(rank);
  }

  std::size_t transfers() const { return transfers_; }

  void Start() {
    for (const auto& nodes : nodes_) {
      for (const OpNode& node : nodes) {
        if (node.transfer) node.transfer->vetoable_start();
        if (node.transmission) node.transmission->vetoable_start();
        if (node.done && node.done != node.transmission)
          node.done->vetoable_start();
      }
    }
  }

 private:
  void MakePlatform() {
    auto* zone = sg4::create_full_zone("pod");
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      hosts_.push_back(
          zone->create_host("chip" + std::to_string(rank), 1.0)->seal());
    clock_ = zone->create_host("clock", 1.0)
                 ->set_core_count(links_.count + 1)
                 ->seal();
    std::vector<sg4::Link*> wires;
    for (int link = 0; link < links_.count; ++link)
      wires.push_back(zone->create_link("link" + std::to_string(link),
                                        links_.bytes_per_second)
                          ->set_latency(links_.hop.seconds())
                          ->seal());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const SimPath& path : ranks_[rank].paths) {
        if (path.links.empty()) continue;
        std::vector<sg4::LinkInRoute> way;
        for (const std::int32_t link : path.links)
          way.emplace_back(wires[link]);
        zone->add_route(hosts_[rank]->get_netpoint(),
                        hosts_[path.to]->get_netpoint(), nullptr, nullptr, way,
                        /*symmetrical=*/false);
      }
    }
    zone->seal();
  }

  void MakeNodes(std::size_t rank) {
    const std::vector<PlanOp>& ops = ranks_[rank].plan.ops;
    nodes_[rank].resize(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      OpNode& node = nodes_[rank][i];
      if (ops[i].kind == OpKind::kSend) {
        const SimPath& path = ranks_[rank].paths[indexes_[rank].peer_of[i]];
        const auto bytes =
            static_cast<double>(ops[i].range.count * links_.element_bytes);
        node.transfer = sg4::Comm::sendto_init(hosts_[rank], hosts_[path.to]);
        node.transfer->set_payload_size(bytes);
        node.transmission =
            sg4::Exec::init()
                ->set_flops_amount(bytes / links_.bytes_per_second)
                ->set_host(clock_);
        node.done = node.transmission;
        ++transfers_;
      } else {
        node.done = sg4::Exec::init()->set_flops_amount(0)->set_host(clock_);
      }
    }
  }

  void Join(std::size_t rank) {
    const std::vector<PlanOp>& ops = ranks_[rank].plan.ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const OpNode& node = nodes_[rank][i];
      for (const podsim::OpSpan& span : {ops[i].after, ops[i].after_also}) {
        for (std::int32_t k = 0; k < span.count; ++k) {
          const auto& before = nodes_[rank][span.first + k].done;
          before->add_successor(node.done);
          if (node.transfer) before->add_successor(node.transfer);
        }
      }
      if (!node.transfer) continue;
      const SimPath& path = ranks_[rank].paths[indexes_[rank].peer_of[i]];
      sg4::ExecPtr& last = last_[path.links.front()];
      if (last) {
        last->add_successor(node.transfer);
        last->add_successor(node.transmission);
      }
      last = node.transmission;
      const std::int32_t receive =
          indexes_[path.to].FindReceive(path.from, ops[i].chunk);
      node.transfer->add_successor(nodes_[path.to][receive].done);
    }
  }

  const std::vector<SimRank>& ranks_;
  const SimLinks& links_;
  std::vector<PlanIndex> indexes_;
  std::vector<std::vector<OpNode>> nodes_;  // by rank, by op
  std::vector<sg4::ExecPtr> last_;          // sent over each link so far
  std::vector<sg4::Host*> hosts_;
  sg4::Host* clock_ = nullptr;
  std::size_t transfers_ = 0;
};

// The plain model: a transfer takes its latency and then its share of the
// narrowest link.
void Configure() {
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
        "network/latency-factor:1", "network/bandwidth-factor:1",
        "network/weight-S:0"})
    sg4::Engine::set_config(setting);
}

}  // namespace

SimGridResult RunOnSimGrid(const std::vector<SimRank>& ranks,
                           const SimLinks& links) {
  int count = 1;
  char name[] = "simgrid_collective";
  char log[] = "--log=root.thresh:error";
  char* arguments[] = {name, log, nullptr};
  count = 2;
  sg4::Engine engine(&count, arguments);
  Configure();
  Graph graph(ranks, links);
  const auto begin = std::chrono::steady_clock::now();
  graph.Start();
  engine.run();
  return {
      sg4::Engine::get_clock(),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count(),
      graph.transfers()};
}
