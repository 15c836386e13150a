// Inbox on one side, Membership on the other, the loop between: it handles what
// came in order and alone uses the streams (host_stream.h).
#include "runtime/coordinator/service.h"

#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/build.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "runtime/coordinator/attach_service.h"
#include "runtime/coordinator/host_stream.h"
#include "runtime/coordinator/inbox.h"
#include "runtime/coordinator/listen.h"
#include "runtime/coordinator/membership.h"
#include "runtime/coordinator/start_origin.h"
#include "runtime/coordinator/trace_keeper_service.h"
#include "runtime/coordinator/watch_service.h"

namespace podsim {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);

// Says what differs from where the job goes on; see start_origin.h.
std::function<absl::StatusOr<std::vector<std::string>>(const JobPlan&)>
ComparisonWith(const std::optional<StartOrigin>& origin) {
  return
      [origin](
          const JobPlan& formed) -> absl::StatusOr<std::vector<std::string>> {
        if (!origin) return std::vector<std::string>();
        return CompareStart(*origin, formed);
      };
}

absl::StatusOr<PodStart> PodStartOf(absl::StatusOr<RunStart> start) {
  PODSIM_RETURN_IF_ERROR(start.status());
  return PodStart{.point = std::move(start->point),
                  .history = std::move(start->history),
                  .notes = std::move(start->notes),
                  .stamp = start->stamp,
                  .compare = ComparisonWith(start->origin)};
}

// How long the last words to the hosts may take once the job has ended.
constexpr absl::Duration kFarewell = absl::Seconds(1);

}  // namespace

struct CoordinatorServer::Impl {
  Impl(Options given, Membership::Options membership)
      : options(std::move(given)),
        service(options.security, inbox, *options.clock),
        watching(options.security, options.feed, *options.clock,
                 [this](const std::string& why) { inbox.Refuse(why); }),
        keeping(options.security,
                {.folder = options.trace_parts,
                 .generation = options.generation,
                 .processes = membership.draft.spec().processes()},
                [this](const std::string& why) { inbox.Refuse(why); }),
        machine(std::move(membership)) {}

  void Loop(const std::stop_token& stop);
  void Handle(const Input& input);
  absl::Status HandleFirst(const Input& input);
  void Perform(std::vector<Action> actions);
  void Commit(const CheckpointManifest& manifest);
  void CloseAll();

  const Options options;
  Inbox inbox;
  AttachService service;
  WatchService watching;
  TraceKeeperService keeping;
  Listener listener;

  // The loop's.
  Membership machine;
  std::map<int, std::shared_ptr<HostStream>> streams;  // by process

  Mutex mutex;
  CondVar changed;
  std::optional<absl::Status> outcome PODSIM_GUARDED_BY(mutex);

  std::atomic<bool> formed{false};
  std::jthread loop;  // last: starts when all else stands
};

void CoordinatorServer::Impl::Perform(std::vector<Action> actions) {
  for (Action& action : actions) {
    if (auto* send = std::get_if<SendAction>(&action)) {
      if (const auto it = streams.find(send->process); it != streams.end()) {
        it->second->Send(std::move(send->message));
      }
    } else if (auto* commit = std::get_if<CommitAction>(&action)) {
      Commit(commit->manifest);
    } else if (const auto* log = std::get_if<LogAction>(&action)) {
      Log(LogLevel::kInfo, log->line);
    } else {
      const auto& event = std::get<JobEvent>(action);
      if (event.has_formed()) formed = true;
      if (options.on_event) options.on_event(event);
    }
  }
}

void CoordinatorServer::Impl::Commit(const CheckpointManifest& manifest) {
  options.commit(manifest, [this, step = manifest.step()](
                               const absl::Status& status,
                               const std::string& path, std::int64_t bytes) {
    inbox.Put(Committed{step, status, path, bytes});
  });
}

// The first message of a stream decides whether it belongs to the pod.
absl::Status CoordinatorServer::Impl::HandleFirst(const Input& input) {
  if (!input.message || !input.message->has_join()) {
    return absl::InvalidArgumentError("the first message must be Join");
  }
  const Join& join = input.message->join();
  PODSIM_RETURN_IF_ERROR(machine.OnJoin(options.clock->Now(), join));
  input.stream->process = join.process();
  streams[join.process()] = input.stream;
  return absl::OkStatus();
}

void CoordinatorServer::Impl::Handle(const Input& input) {
  HostStream& stream = *input.stream;
  const absl::Time now = options.clock->Now();
  if (stream.refused) return;
  if (!stream.process) {
    if (absl::Status status = HandleFirst(input); !status.ok()) {
      if (input.message) {
        // Whoever watches the pod is told by the machine's event.
        Log(LogLevel::kInfo, absl::StrCat("refused: ", status.message()));
      }
      stream.refused = true;
      stream.Close(status);
    }
  } else if (input.message) {
    machine.OnMessage(now, *stream.process, *input.message);
  } else {
    machine.OnClosed(now, *stream.process);
    streams.erase(*stream.process);
    stream.Close(absl::OkStatus());
  }
}

void CoordinatorServer::Impl::CloseAll() {
  for (auto& [process, stream] : streams) {
    stream->Close(absl::UnavailableError("the job has ended"));
  }
}

void CoordinatorServer::Impl::Loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Inbox::Contents contents = inbox.Take(kTick);
    if (contents.refusals > 0) {
      machine.OnRefused(options.clock->Now(), contents.refusals,
                        contents.last_refusal);
    }
    if (contents.alive) machine.OnSignOfLife(options.clock->Now());
    if (contents.start) {
      machine.OnLooked(options.clock->Now(),
                       PodStartOf(*std::move(contents.start)));
    }
    for (const Input& input : contents.inputs) {
      Handle(input);
      Perform(machine.TakeActions());
      if (input.message) input.stream->OnHandled();
    }
    for (const Committed& done : contents.commits) {
      machine.OnCommitted(options.clock->Now(), done.step, done.status,
                          done.path, done.bytes);
    }
    if (contents.drain_reason) {
      machine.OnDrain(options.clock->Now(), *contents.drain_reason);
    }
    if (contents.stop_reason) {
      machine.OnStop(options.clock->Now(), *contents.stop_reason);
    }
    machine.OnTick(options.clock->Now());
    Perform(machine.TakeActions());
    if (!machine.ended()) continue;
    CloseAll();
    MutexLock lock(mutex);
    if (!outcome) outcome = machine.failure();
    changed.NotifyAll();
  }
}

CoordinatorServer::CoordinatorServer(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<CoordinatorServer>> CoordinatorServer::Start(
    Options options) {
  PODSIM_ASSIGN_OR_RETURN(JobPlan draft, options.make_plan(options.isa));
  PODSIM_RETURN_IF_ERROR(CheckPlacement(draft));
  Membership::Options membership = {.protocol_version = kProtocolVersion,
                                    .build_id = BuildId(),
                                    .generation = options.generation,
                                    .draft = std::move(draft),
                                    .make_plan = options.make_plan,
                                    .make_reports = MakeJobReports,
                                    .now = options.clock->Now(),
                                    .keeps_trace = !options.trace_parts.empty(),
                                    .looking = options.looking};
  auto impl = std::make_unique<Impl>(std::move(options), std::move(membership));
  PODSIM_ASSIGN_OR_RETURN(
      impl->listener, Listen(impl->options.listen, impl->options.security,
                             {&impl->service, &impl->watching, &impl->keeping},
                             [inbox = &impl->inbox](const std::string& why) {
                               inbox->Refuse(why);
                             }));
  Impl& shared = *impl;
  impl->loop = std::jthread(
      [&shared](const std::stop_token& stop) { shared.Loop(stop); });
  return std::unique_ptr<CoordinatorServer>(
      new CoordinatorServer(std::move(impl)));
}

CoordinatorServer::~CoordinatorServer() {
  Stop("the coordinator ends");
  // Readers take what there is, and are done.
  if (impl_->options.feed != nullptr) impl_->options.feed->End();
  // The loop must still run: it is what closes streams that gRPC cancels.
  ShutDown(impl_->listener, kFarewell);
  impl_->loop.request_stop();
  Stop("");  // wakes it; the job has long ended
  impl_->loop.join();
}

const std::string& CoordinatorServer::address() const {
  return impl_->listener.address;
}

void CoordinatorServer::Begin(absl::StatusOr<RunStart> start) {
  impl_->inbox.Put(std::move(start));
}

void CoordinatorServer::GiveSignOfLife() { impl_->inbox.PutSignOfLife(); }

void CoordinatorServer::Stop(const std::string& reason) {
  impl_->inbox.Stop(reason);
}

void CoordinatorServer::Drain(const std::string& reason) {
  impl_->inbox.Drain(reason);
}

absl::Status CoordinatorServer::Wait() {
  MutexLock lock(impl_->mutex);
  while (!impl_->outcome) impl_->changed.WaitFor(impl_->mutex, kTick);
  return *impl_->outcome;
}

bool CoordinatorServer::WaitForTrace(absl::Duration limit) {
  if (impl_->options.trace_parts.empty() || !impl_->formed) return true;
  return impl_->keeping.WaitForAll(limit);
}

}  // namespace podsim
