// One write and one read are outstanding at a time. A stream that breaks shows
// as a failed read; then Finish asks gRPC for the reason.
#include "interconnect/transport/grpc/outgoing_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/rpc/credentials.h"
#include "base/rpc/status.h"
#include "base/status.h"

namespace podsim {

namespace {

// `hello`, with the offer to share the memory of `lane`.
IciHello WithOffer(IciHello hello, SharedLane* lane) {
  if (lane == nullptr) return hello;
  const SharedMemoryName name = lane->memory().name();
  IciHello::SharedMemory& offer = *hello.mutable_shared_memory();
  offer.set_pid(name.pid);
  offer.set_fd(name.fd);
  offer.set_nonce(name.nonce);
  return hello;
}

}  // namespace

OutgoingStream::OutgoingStream(std::shared_ptr<grpc::Channel> channel,
                               const PodIdentity& identity, IciHello hello,
                               std::unique_ptr<SharedLane> lane,
                               grpc::CompletionQueue& queue, Mailbox& mailbox,
                               Owner& owner)
    : identity_(identity),
      hello_(WithOffer(std::move(hello), lane.get())),
      mailbox_(mailbox),
      owner_(owner),
      stub_(std::move(channel)),
      context_(std::make_unique<grpc::ClientContext>()),
      start_([this](bool ok) { OnStarted(ok); }),
      read_([this](bool ok) { OnRead(ok); }),
      write_([this](bool ok) { OnWritten(ok); }),
      finish_([this](bool) { OnFinished(); }),
      lane_(std::move(lane)) {
  // Peers may come up a moment later; the owner has the deadline.
  context_->set_wait_for_ready(true);
  AttachToken(identity_.security, *context_);
  stream_ = stub_.PrepareCall(context_.get(), kIciMethod, &queue);
  stream_->StartCall(start_.Begin());
}

bool OutgoingStream::busy() const {
  return start_.pending() || read_.pending() || write_.pending() ||
         finish_.pending();
}

void OutgoingStream::OnStarted(bool ok) {
  if (!ok) return Finish();
  stream_->Write(MakeMessage(hello_), write_.Begin());
  stream_->Read(&incoming_, read_.Begin());
}

void OutgoingStream::OnRead(bool ok) {
  if (!ok) return Finish();
  error_.Update(greeted_ ? TakeCreditMessage() : Greet());
  if (!error_.ok()) {
    Cancel();
    return Finish();
  }
  stream_->Read(&incoming_, read_.Begin());
}

absl::Status OutgoingStream::Greet() {
  PODSIM_ASSIGN_OR_RETURN(const IciHello reply, ParseHello(incoming_));
  if (reply.from_process() != hello_.to_process()) {
    return absl::FailedPreconditionError(
        absl::StrCat("process ", reply.from_process(), " answers there"));
  }
  greeted_ = true;
  sharing_ = lane_ != nullptr && reply.has_shared_memory();
  return absl::OkStatus();
}

absl::Status OutgoingStream::TakeCreditMessage() {
  PODSIM_ASSIGN_OR_RETURN(Message message, OpenMessage(incoming_));
  return TakeCredit(TakeHeader(message.parts));
}

absl::Status OutgoingStream::TakeCredit(absl::StatusOr<WireHeader> header) {
  PODSIM_RETURN_IF_ERROR(header.status());
  if (header->kind == FrameKind::kWake) return absl::OkStatus();
  if (header->kind != FrameKind::kCredit) {
    return absl::InternalError("got a frame where credits are due");
  }
  mailbox_.Push(CreditBack{.route = RouteOf(header->frame),
                           .charge = static_cast<std::int64_t>(header->bytes)});
  return absl::OkStatus();
}

bool OutgoingStream::TakeShared() {
  bool took = false;
  while (sharing_ && lane_->in().NextMark()) {
    took = true;
    const absl::Status taken = TakeSharedCredit();
    if (taken.ok()) continue;
    error_.Update(taken);
    sharing_ = false;
    Cancel();  // the read that is outstanding fails
  }
  return took;
}

absl::Status OutgoingStream::TakeSharedCredit() {
  PODSIM_ASSIGN_OR_RETURN(const RingReader::Entry entry, lane_->in().Take());
  lane_->in().GiveBack(entry.number);
  return TakeCredit(DecodeHeader(entry.header));
}

void OutgoingStream::SetWaiting(bool waiting) {
  if (sharing_) lane_->in().SetWaiting(waiting);
}

bool OutgoingStream::open() const {
  return greeted_ && !closing_ && !ended_ && !finish_.pending();
}

bool OutgoingStream::FillLane() {
  if (filled_) return true;
  const absl::Status filled = lane_->memory().Fill();
  filled_ = filled.ok();
  if (!filled_) {
    sharing_ = false;
    Log(LogLevel::kWarning,
        absl::StrCat(
            "frames to process ", hello_.to_process(),
            " go over its socket alone: ", std::string(filled.message())));
  }
  return filled_;
}

bool OutgoingStream::MayShare() {
  const auto is_data = [](const Queued& frame) {
    return frame.charge() != nullptr;
  };
  return sharing_ && open() && !writing_data_ &&
         std::none_of(express_.begin(), express_.end(), is_data) &&
         std::none_of(bulk_.begin(), bulk_.end(), is_data) && FillLane();
}

bool OutgoingStream::Share(const WireHeader& header,
                           std::span<const std::byte> payload) {
  if (!MayShare() ||
      !lane_->out().Put(streamed_, EncodeHeader(header), payload)) {
    return false;
  }
  WakePeer(header);
  return true;
}

void OutgoingStream::WakePeer(const WireHeader& header) {
  if (!lane_->out().TakeWaiting()) return;
  Enqueue(Lane::kExpress,
          {.message = MakeMessage(HeaderOf(
               FrameKind::kWake, RouteOf(header.frame), 0, identity_))});
}

std::optional<Places> OutgoingStream::PlacesFor(std::size_t bytes) {
  if (!MayShare()) return std::nullopt;
  return lane_->out().PlacesFor(bytes);
}

void OutgoingStream::SendPlaced(const WireHeader& header, std::uint64_t token) {
  lane_->out().Commit(streamed_, EncodeHeader(header), header.bytes);
  WakePeer(header);
  mailbox_.Push(SendDone{.host = header.frame.from, .token = token});
}

void OutgoingStream::Send(const WireHeader& header,
                          std::span<const std::byte> payload,
                          std::uint64_t token) {
  if (Share(header, payload)) {
    mailbox_.Push(SendDone{.host = header.frame.from, .token = token});
    return;
  }
  if (payload.size() <= kCopiedPayloadBytes) {
    Enqueue(header.frame.lane,
            {.message = MakeMessage(EncodeHeader(header), payload),
             .copied = Charge{header.frame, ChargeOf(payload.size())}});
    mailbox_.Push(SendDone{.host = header.frame.from, .token = token});
    return;
  }
  Sending sending = {.charge = {header.frame, ChargeOf(payload.size())},
                     .token = token,
                     .loan = std::make_shared<Loan>()};
  grpc::ByteBuffer message =
      MakeMessage(EncodeHeader(header), payload, sending.loan);
  Enqueue(header.frame.lane,
          {.message = std::move(message), .data = std::move(sending)});
}

void OutgoingStream::AskForCredit(const Route& route) {
  const WireHeader header =
      HeaderOf(FrameKind::kCreditRequest, route, 0, identity_);
  if (Share(header, {})) return;
  Enqueue(Lane::kExpress, {.message = MakeMessage(header)});
}

void OutgoingStream::Enqueue(Lane lane, Queued frame) {
  (lane == Lane::kExpress ? express_ : bulk_).push_back(std::move(frame));
  if (ended_ || finish_.pending()) return DropAll();
  WriteNext();
}

void OutgoingStream::WriteNext() {
  if (!greeted_ || write_.pending()) return;
  for (auto* queue : {&express_, &bulk_}) {
    if (queue->empty()) continue;
    Queued frame = std::move(queue->front());
    queue->pop_front();
    writing_data_ = frame.charge() != nullptr;
    if (writing_data_) ++streamed_;
    writing_ = std::move(frame.data);
    // gRPC takes its own references to the slices.
    stream_->Write(frame.message, write_.Begin());
    return;
  }
}

void OutgoingStream::OnWritten(bool ok) {
  if (writing_ && ok) TellDone(*writing_);
  if (writing_ && !ok) failed_.push_back(*std::move(writing_));
  writing_.reset();
  writing_data_ = false;
  // After a failed write the read fails too, and ends the stream.
  if (!ok || half_closed_ || ended_ || finish_.pending()) return;
  if (closing_) return Close();
  WriteNext();
}

void OutgoingStream::Close() {
  closing_ = true;
  Withdraw(AllFrames());
  if (!greeted_) return Cancel();
  if (ended_ || finish_.pending() || write_.pending() || half_closed_) return;
  WriteNext();
  if (write_.pending()) return;
  half_closed_ = true;
  stream_->WritesDone(write_.Begin());
}

void OutgoingStream::TellDone(const Sending& sending) {
  mailbox_.Push(
      SendDone{.host = sending.charge.frame.from, .token = sending.token});
}

void OutgoingStream::Drop(const Queued& frame) {
  if (frame.data) TellDone(*frame.data);
  const Charge* const charge = frame.charge();
  if (charge == nullptr) return;
  mailbox_.Push(
      CreditBack{.route = RouteOf(charge->frame), .charge = charge->bytes});
}

void OutgoingStream::DropAll() {
  for (auto* queue : {&express_, &bulk_}) {
    for (const Queued& frame : std::exchange(*queue, {})) Drop(frame);
  }
}

// Copies count as sent: their SendDone is out.
void OutgoingStream::Withdraw(const FrameFilter& which) {
  for (auto* queue : {&express_, &bulk_}) {
    std::deque<Queued> kept;
    for (Queued& frame : *queue) {
      if (frame.data && which(frame.data->charge.frame)) {
        Drop(frame);
      } else {
        kept.push_back(std::move(frame));
      }
    }
    queue->swap(kept);
  }
}

bool OutgoingStream::Borrows(const FrameFilter& which) const {
  const auto is_meant = [&which](const Sending& sending) {
    return which(sending.charge.frame);
  };
  return (writing_ && is_meant(*writing_)) ||
         std::any_of(failed_.begin(), failed_.end(), is_meant);
}

void OutgoingStream::Cancel() {
  if (context_ != nullptr) context_->TryCancel();
}

void OutgoingStream::Tidy() {
  if (ended_ && !busy()) {
    // A call keeps what it could not write as long as it lives.
    stream_.reset();
    context_.reset();
  }
  std::erase_if(failed_, [this](const Sending& sending) {
    if (!sending.loan->returned.load(std::memory_order_acquire)) return false;
    TellDone(sending);
    return true;
  });
}

void OutgoingStream::Finish() {
  stream_->Finish(&result_, finish_.Begin());
  DropAll();
}

void OutgoingStream::OnFinished() {
  ended_ = true;
  absl::Status why = error_.ok() ? FromGrpcStatus(result_) : error_;
  if (why.ok()) why = absl::UnavailableError("it closed the stream");
  owner_.OnOutgoingEnded(hello_.to_process(), why);
}

}  // namespace podsim
