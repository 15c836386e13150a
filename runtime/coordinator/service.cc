// gRPC's callback API on one side, Membership on the other, a queue between.
//
// A stream's life: Attach makes it; each message it reads goes into the inbox;
// the loop thread handles the inbox in order and alone calls Send and Close. A
// stream ends only through Close, so the loop may use it until then. It owns
// itself from Attach until gRPC's OnDone, and the loop shares it meanwhile.
#include "runtime/coordinator/service.h"

#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <deque>
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
#include "base/rpc/address.h"
#include "base/rpc/credentials.h"
#include "base/rpc/deadline.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "proto/coordinator.grpc.pb.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
// How long the last words to the hosts may take once the job has ended.
constexpr absl::Duration kFarewell = absl::Seconds(1);

class Stream;

// A message of a stream, or (empty) its end.
struct Input {
  std::shared_ptr<Stream> stream;
  std::optional<HostMessage> message;
};

// What a commit came to.
struct Committed {
  std::int64_t step = 0;
  absl::Status status;
  std::string path;
  std::int64_t bytes = 0;
};

// What the network's threads leave for the loop.
class Inbox {
 public:
  struct Contents {
    std::vector<Input> inputs;
    std::vector<Committed> commits;
    std::optional<std::string> stop_reason;
    std::optional<std::string> drain_reason;
    bool empty() const {
      return inputs.empty() && commits.empty() && !stop_reason && !drain_reason;
    }
  };
  void Put(Input input) {
    MutexLock lock(mutex_);
    contents_.inputs.push_back(std::move(input));
    changed_.NotifyOne();
  }
  void Put(Committed committed) {
    MutexLock lock(mutex_);
    contents_.commits.push_back(std::move(committed));
    changed_.NotifyOne();
  }
  void Stop(const std::string& reason) {
    MutexLock lock(mutex_);
    contents_.stop_reason = reason;
    changed_.NotifyOne();
  }
  void Drain(const std::string& reason) {
    MutexLock lock(mutex_);
    contents_.drain_reason = reason;
    changed_.NotifyOne();
  }
  // Waits up to one tick for anything.
  Contents Take() {
    MutexLock lock(mutex_);
    if (contents_.empty()) changed_.WaitFor(mutex_, kTick);
    return std::exchange(contents_, {});
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  Contents contents_ PODSIM_GUARDED_BY(mutex_);
};

class Stream final
    : public grpc::ServerBidiReactor<HostMessage, CoordinatorMessage>,
      public std::enable_shared_from_this<Stream> {
 public:
  explicit Stream(Inbox& inbox) : inbox_(inbox) {}

  void Begin() {
    self_ = shared_from_this();
    StartRead(&incoming_);
  }

  // The loop's: the process that joined on this stream, or that none may.
  std::optional<int> process;
  bool refused = false;

  // The loop's: queues a message; dropped after Close.
  void Send(CoordinatorMessage message) {
    bool idle = false;
    {
      MutexLock lock(mutex_);
      if (closing_) return;
      outgoing_.push_back(std::move(message));
      idle = !std::exchange(writing_, true);
    }
    if (idle) WriteFront();
  }
  // The loop's: ends the stream once everything queued is written.
  void Close(const absl::Status& status) {
    {
      MutexLock lock(mutex_);
      if (closing_) return;
      closing_ = status;
      if (writing_) return;
    }
    Finish(ToGrpcStatus(status));
  }

 private:
  void WriteFront() {
    const CoordinatorMessage* front = nullptr;
    {
      MutexLock lock(mutex_);
      front = &outgoing_.front();  // stays put while others are appended
    }
    StartWrite(front);
  }
  // Messages are handed on at once rather than when the loop gets to them, so
  // that a Failure is not lost to the cancellation that follows it.
  void OnReadDone(bool ok) override {
    if (!ok) {
      inbox_.Put({shared_from_this(), std::nullopt});
      return;
    }
    inbox_.Put({shared_from_this(), std::exchange(incoming_, HostMessage())});
    StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    std::optional<absl::Status> finish;
    {
      MutexLock lock(mutex_);
      outgoing_.pop_front();
      if (!ok) outgoing_.clear();  // broken; the pending read says so too
      writing_ = !outgoing_.empty();
      if (!writing_) finish = closing_;
    }
    if (finish) {
      Finish(ToGrpcStatus(*finish));
    } else {
      WriteNext();
    }
  }
  void WriteNext() {
    {
      MutexLock lock(mutex_);
      if (!writing_) return;
    }
    WriteFront();
  }
  void OnDone() override { self_.reset(); }

  Inbox& inbox_;
  std::shared_ptr<Stream> self_;
  HostMessage incoming_;
  Mutex mutex_;
  std::deque<CoordinatorMessage> outgoing_ PODSIM_GUARDED_BY(mutex_);
  bool writing_ PODSIM_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> closing_ PODSIM_GUARDED_BY(mutex_);
};

// Answers a call that may not even begin.
class Refusal final
    : public grpc::ServerBidiReactor<HostMessage, CoordinatorMessage> {
 public:
  explicit Refusal(const absl::Status& status) { Finish(ToGrpcStatus(status)); }
  void OnDone() override { delete this; }
};

class Service final : public Coordinator::CallbackService {
 public:
  Service(RpcSecurity security, Inbox& inbox)
      : security_(std::move(security)), inbox_(inbox) {}

  grpc::ServerBidiReactor<HostMessage, CoordinatorMessage>* Attach(
      grpc::CallbackServerContext* context) override {
    if (absl::Status status = CheckToken(security_, *context); !status.ok()) {
      Log(LogLevel::kWarning,
          absl::StrCat("refused a call from ", context->peer(), ": ",
                       status.message()));
      return new Refusal(status);
    }
    auto stream = std::make_shared<Stream>(inbox_);
    stream->Begin();
    return stream.get();
  }

 private:
  const RpcSecurity security_;
  Inbox& inbox_;
};

// gRPC replaces the file of a Unix socket without asking; one that somebody
// still listens on must stay theirs.
bool SomebodyListens(const Address& address) {
  if (!address.is_unix()) return false;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  address.path.copy(name.sun_path, kMaxUnixPath);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answers =
      connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0;
  close(fd);
  return answers;
}

}  // namespace

struct CoordinatorServer::Impl {
  Impl(Options given, Membership::Options membership)
      : options(std::move(given)),
        service(options.security, inbox),
        machine(std::move(membership)) {}

  absl::Status Listen();
  void Loop(const std::stop_token& stop);
  void Handle(const Input& input);
  absl::Status HandleFirst(const Input& input);
  void Perform(std::vector<Action> actions);
  void Commit(const CheckpointManifest& manifest);
  void CloseAll();

  const Options options;
  std::string address;
  Inbox inbox;
  Service service;
  std::unique_ptr<grpc::Server> server;

  // The loop's.
  Membership machine;
  std::map<int, std::shared_ptr<Stream>> streams;  // by process

  Mutex mutex;
  CondVar changed;
  std::optional<absl::Status> outcome PODSIM_GUARDED_BY(mutex);

  std::jthread loop;  // last: starts when all else stands
};

absl::Status CoordinatorServer::Impl::Listen() {
  PODSIM_ASSIGN_OR_RETURN(Address parsed, ParseAddress(options.listen));
  PODSIM_ASSIGN_OR_RETURN(
      auto credentials, ServerCredentialsFor(options.listen, options.security));
  if (SomebodyListens(parsed)) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", options.listen, ": another program does"));
  }
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(parsed.ToString(), credentials, &port);
  builder.RegisterService(&service);
  // A port in use is refused, not shared with whoever has it.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Hosts ping often, to notice a frozen coordinator; that is no abuse.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  server = builder.BuildAndStart();
  // gRPC reports 1 as the port of a Unix socket, 0 when it could not listen.
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot listen on ", options.listen,
        ": in use, not an address of this machine, or no such directory"));
  }
  if (!parsed.is_unix()) parsed.port = port;
  address = parsed.ToString();
  return absl::OkStatus();
}

void CoordinatorServer::Impl::Perform(std::vector<Action> actions) {
  for (Action& action : actions) {
    if (auto* send = std::get_if<SendAction>(&action)) {
      if (const auto it = streams.find(send->process); it != streams.end()) {
        it->second->Send(std::move(send->message));
      }
    } else if (auto* commit = std::get_if<CommitAction>(&action)) {
      Commit(commit->manifest);
    } else if (options.on_event) {
      options.on_event(std::get<JobEvent>(action));
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
  Stream& stream = *input.stream;
  const absl::Time now = options.clock->Now();
  if (stream.refused) return;
  if (!stream.process) {
    if (absl::Status status = HandleFirst(input); !status.ok()) {
      if (input.message) {
        Log(LogLevel::kWarning, absl::StrCat("refused: ", status.message()));
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
    Inbox::Contents contents = inbox.Take();
    for (const Input& input : contents.inputs) {
      Handle(input);
      Perform(machine.TakeActions());
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
                                    .now = options.clock->Now(),
                                    .start = options.start.point,
                                    .history = options.start.history,
                                    .notes = options.start.notes,
                                    .stamp = options.start.stamp};
  auto impl = std::make_unique<Impl>(std::move(options), std::move(membership));
  PODSIM_RETURN_IF_ERROR(impl->Listen());
  Impl& shared = *impl;
  impl->loop = std::jthread(
      [&shared](const std::stop_token& stop) { shared.Loop(stop); });
  return std::unique_ptr<CoordinatorServer>(
      new CoordinatorServer(std::move(impl)));
}

CoordinatorServer::~CoordinatorServer() {
  Stop("the coordinator ends");
  // The loop must still run: it is what closes streams that gRPC cancels.
  impl_->server->Shutdown(DeadlineIn(kFarewell));
  impl_->loop.request_stop();
  Stop("");  // wakes it; the job has long ended
  impl_->loop.join();
}

const std::string& CoordinatorServer::address() const { return impl_->address; }

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

}  // namespace podsim
