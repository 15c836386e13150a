// Coordinators whose events are told, for tests of their readers: a real one,
// and one that answers every call as a test wants.
#ifndef PODSIM_TESTS_RUNTIME_TOP_TOLD_POD_H_
#define PODSIM_TESTS_RUNTIME_TOP_TOLD_POD_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "proto/watch.grpc.pb.h"
#include "runtime/coordinator/event_feed.h"
#include "runtime/coordinator/service.h"
#include "tests/runtime/coordinator/pod_script.h"

namespace podsim::testing {

inline constexpr char kToldToken[] = "0123456789abcdef";

// One generation of a pod whose events are told; it never forms.
class ToldPod {
 public:
  ToldPod(const std::string& listen, std::uint32_t generation)
      : feed_({.generation = generation}) {
    auto server = CoordinatorServer::Start(
        {.listen = listen,
         .security = {.token = kToldToken},
         .make_plan = [](const std::string&) -> absl::StatusOr<JobPlan> {
           return TestPlan(1, 1, 1);
         },
         .isa = "v3",
         .generation = generation,
         .clock = &clock_,
         .feed = &feed_});
    PODSIM_CHECK(server.ok());
    server_ = *std::move(server);
    place_.set_address(server_->address());
    place_.set_token(kToldToken);
  }
  EventFeed& feed() { return feed_; }
  const WatchPlace& place() const { return place_; }

 private:
  const SystemClock clock_;
  EventFeed feed_;
  std::unique_ptr<CoordinatorServer> server_;
  WatchPlace place_;
};

// Answers each call by `answer`, on gRPC's thread; lets everybody in.
class MadeTeller final : public JobWatch::Service {
 public:
  using Answer = std::function<grpc::Status(grpc::ServerContext&,
                                            grpc::ServerWriter<WatchedEvent>&)>;

  MadeTeller(const std::string& address, Answer answer)
      : answer_(std::move(answer)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    PODSIM_CHECK(server_ != nullptr);
    place_.set_address(address);
    place_.set_token(kToldToken);
  }
  ~MadeTeller() override {
    server_->Shutdown(std::chrono::system_clock::now());
  }

  const WatchPlace& place() const { return place_; }
  int calls() const { return calls_; }

  grpc::Status Watch(grpc::ServerContext* context, const WatchRequest*,
                     grpc::ServerWriter<WatchedEvent>* writer) override {
    ++calls_;
    return answer_(*context, *writer);
  }

 private:
  const Answer answer_;
  std::atomic<int> calls_ = 0;
  WatchPlace place_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_TOP_TOLD_POD_H_
