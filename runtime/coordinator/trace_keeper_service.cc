#include "runtime/coordinator/trace_keeper_service.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/rpc/credentials.h"
#include "base/rpc/status.h"
#include "base/status.h"
#include "host/process/trace_part.h"

namespace podsim {
namespace {

// A tracer keeps 2^21 spans at most (base/trace/tracer.h).
constexpr std::size_t kMostPartBytes = std::size_t{1} << 30;

// One call: reads piece after piece, and writes each where it belongs. gRPC's
// own from Keep until OnDone.
class KeepCall final : public grpc::ServerReadReactor<TracePart> {
 public:
  explicit KeepCall(TraceKeeperService& service) : service_(service) {
    StartRead(&piece_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(IsWhole());
    if (absl::Status status = Take(); !status.ok()) return End(status);
    piece_.Clear();
    StartRead(&piece_);
  }

  void OnDone() override { delete this; }

 private:
  // A call that was cut off has brought no part.
  absl::Status IsWhole() const {
    if (last_) return absl::OkStatus();
    return absl::InvalidArgumentError("the part's last piece did not come");
  }

  absl::Status Take() {
    if (!process_) {
      PODSIM_RETURN_IF_ERROR(service_.Enter(piece_));
      process_ = piece_.process();
      PODSIM_ASSIGN_OR_RETURN(
          writer_, TracePartWriter::Open(service_.FileOf(*process_)));
    }
    if (piece_.process() != *process_ || last_)
      return absl::InvalidArgumentError("pieces of two parts in one call");
    bytes_ += piece_.ByteSizeLong();
    if (bytes_ > kMostPartBytes)
      return absl::ResourceExhaustedError(absl::StrCat(
          "the part has more than ", kMostPartBytes >> 20, " MiB"));
    last_ = piece_.last();
    return writer_->Append(piece_);
  }

  // Once: nothing is read any more.
  void End(absl::Status status) {
    if (status.ok()) status = writer_->Finish();
    writer_.reset();
    if (process_) service_.Leave(*process_, status.ok());
    Finish(ToGrpcStatus(status));
  }

  TraceKeeperService& service_;
  TracePart piece_;
  std::optional<int> process_;  // from Enter on
  std::unique_ptr<TracePartWriter> writer_;
  std::size_t bytes_ = 0;
  bool last_ = false;
};

// Answers a call that may not even begin.
class KeepRefusal final : public grpc::ServerReadReactor<TracePart> {
 public:
  explicit KeepRefusal(const absl::Status& status) {
    Finish(ToGrpcStatus(status));
  }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerReadReactor<TracePart>* TraceKeeperService::Keep(
    grpc::CallbackServerContext* context, TraceKept* /*response*/) {
  if (absl::Status status = CheckToken(security_, *context); !status.ok()) {
    refuse_(
        absl::StrCat("a call from ", context->peer(), ": ", status.message()));
    return new KeepRefusal(status);
  }
  return new KeepCall(*this);
}

absl::Status TraceKeeperService::Enter(const TracePart& piece) {
  if (options_.folder.empty())
    return absl::FailedPreconditionError("no trace is kept here");
  if (piece.process() < 0 || piece.process() >= options_.processes ||
      piece.generation() != options_.generation)
    return absl::InvalidArgumentError(absl::StrCat(
        "a part of process ", piece.process(), ", generation ",
        piece.generation(), ", but the pod has ", options_.processes,
        " processes of generation ", options_.generation));
  MutexLock lock(mutex_);
  if (!coming_.insert(piece.process()).second)
    return absl::AlreadyExistsError(absl::StrCat(
        "the part of process ", piece.process(), " comes in another call"));
  return absl::OkStatus();
}

void TraceKeeperService::Leave(int process, bool kept) {
  MutexLock lock(mutex_);
  coming_.erase(process);
  if (kept) kept_.insert(process);
  changed_.NotifyAll();
}

std::string TraceKeeperService::FileOf(int process) const {
  return TracePartFile(options_.folder,
                       {.process = process, .generation = options_.generation});
}

bool TraceKeeperService::WaitForAll(absl::Duration limit) {
  const auto end =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(limit);
  MutexLock lock(mutex_);
  while (static_cast<int>(kept_.size()) < options_.processes) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds(0)) return false;
    changed_.WaitFor(mutex_, left);
  }
  return true;
}

}  // namespace podsim
