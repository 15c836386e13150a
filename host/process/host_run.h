// Everything that lives while a host process runs its job.
#ifndef PODSIM_HOST_PROCESS_HOST_RUN_H_
#define PODSIM_HOST_PROCESS_HOST_RUN_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/rpc/security.h"
#include "base/trace/tracer.h"
#include "host/board/host_work.h"
#include "host/board/progress.h"
#include "host/checkpoint/async_saver.h"
#include "host/process/coordinator_link.h"
#include "host/process/stop_switch.h"
#include "host/storage/faulty_store.h"
#include "host/storage/uri_store.h"
#include "host/storage/watched_store.h"
#include "host/train/fault_injector.h"
#include "host/train/step_gate.h"
#include "host/train/trainer.h"
#include "interconnect/transport/faults/link_faults.h"
#include "interconnect/transport/faults/shaped_links.h"
#include "interconnect/transport/grpc/grpc_transport.h"

namespace podsim {

// Destroyed in reverse order.
struct HostRun {
  SystemClock clock;
  RpcSecurity security;
  std::optional<Tracer> tracer;       // of a job that is traced
  std::function<void()> write_trace;  // likewise; empty: there is nothing to
  StopSwitch stop;
  std::unique_ptr<GrpcTransport> transport;
  // Over it, if the plan has faults, or links that are slow (ShapeLinks).
  std::optional<LinkFaults> link_faults;
  std::optional<ShapedLinks> links;
  Progress progress;
  StepGate gate;
  StoreWatch store_watch;
  std::unique_ptr<ObjectStore> store = NewUriStore();
  std::unique_ptr<FaultyStore> faulty_store;  // over it, likewise
  std::unique_ptr<CoordinatorLink> link;
  std::optional<FaultInjector> faults;
  std::unique_ptr<AsyncSaver> saver;
  Trainer* trainer = nullptr;  // the work, if it is training
  std::unique_ptr<HostWork> work;
  bool joined = false;  // the coordinator has assigned it its part
  // Set once a pod can be drained: it has formed, and makes steps.
  std::atomic<bool> drains{false};
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_HOST_RUN_H_
