// A read is outstanding until the stream ends; a write only while there is a
// hello, a credit or a call to wake up to send.
#include "interconnect/transport/grpc/incoming_stream.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/rpc/credentials.h"
#include "base/rpc/status.h"
#include "base/status.h"

namespace podsim {

IncomingStream::IncomingStream(const PodIdentity& identity, bool share,
                               Mailbox& mailbox, Owner& owner)
    : identity_(identity),
      share_(share),
      mailbox_(mailbox),
      owner_(owner),
      stream_(&context_),
      call_([this](bool ok) { OnCalled(ok); }),
      read_([this](bool ok) { OnRead(ok); }),
      write_([this](bool ok) { OnWritten(ok); }),
      finish_([this](bool) { ended_ = true; }) {}

void IncomingStream::Listen(grpc::AsyncGenericService& service,
                            grpc::ServerCompletionQueue& queue) {
  service.RequestCall(&context_, &stream_, &queue, &queue, call_.Begin());
}

bool IncomingStream::busy() const {
  return read_.pending() || write_.pending() || finish_.pending();
}

void IncomingStream::Cancel() {
  if (called_ && !finishing_) context_.TryCancel();
}

void IncomingStream::OnCalled(bool ok) {
  if (!ok) {  // the server shuts down
    ended_ = true;
    return;
  }
  called_ = true;
  owner_.OnCalled();
  if (context_.method() != kIciMethod) {
    return Finish(absl::UnimplementedError(
        absl::StrCat("only ", kIciMethod, " is served here")));
  }
  if (const absl::Status token = CheckToken(identity_.security, context_);
      !token.ok()) {
    owner_.OnRefused(context_.peer(), token);
    return Finish(token);
  }
  stream_.Read(&incoming_, read_.Begin());
}

void IncomingStream::OnRead(bool ok) {
  if (!ok) {
    if (process_ >= 0) {
      owner_.OnIncomingEnded(process_,
                             absl::UnavailableError("its stream has ended"));
    }
    return Finish(absl::OkStatus());
  }
  if (process_ < 0) {
    if (const absl::Status greeted = Greet(); !greeted.ok()) {
      return Finish(greeted);
    }
  } else {
    TakeMessage();
  }
  stream_.Read(&incoming_, read_.Begin());
}

absl::Status IncomingStream::Greet() {
  PODSIM_ASSIGN_OR_RETURN(const IciHello hello, ParseHello(incoming_));
  PODSIM_RETURN_IF_ERROR(owner_.Admit(hello, shared_from_this()));
  process_ = hello.from_process();
  IciHello reply = hello;
  reply.set_from_process(hello.to_process());
  reply.set_to_process(hello.from_process());
  if (hello.has_shared_memory()) AcceptLane(hello.shared_memory());
  if (lane_ == nullptr) reply.clear_shared_memory();
  stream_.Write(MakeMessage(reply), write_.Begin());
  return absl::OkStatus();
}

void IncomingStream::AcceptLane(const IciHello::SharedMemory& offer) {
  if (!share_) return;
  auto memory = SharedMemory::Open(
      {.pid = offer.pid(), .fd = offer.fd(), .nonce = offer.nonce()},
      kSharedLaneBytes);
  if (!memory.ok()) {
    return Log(LogLevel::kWarning,
               absl::StrCat("frames of process ", process_,
                            " come over its socket alone: ",
                            std::string(memory.status().message())));
  }
  lane_ = std::make_shared<SharedLane>(*std::move(memory),
                                       SharedLane::End::kAcceptor);
}

void IncomingStream::TakeMessage() {
  absl::StatusOr<Message> message = OpenMessage(incoming_);
  const absl::StatusOr<WireHeader> header =
      message.ok() ? TakeHeader(message->parts) : message.status();
  // Frames in memory may wait for this one, or not: nobody knows.
  if (!header.ok() && sharing()) return Break(header.status());
  if (!message.ok()) return TakeFrame(message.status(), {}, nullptr);
  if (header.ok() && header->kind == FrameKind::kData) {
    TakeShared();  // all that was sent before it
    ++streamed_;
  }
  auto slices =
      std::make_shared<std::vector<grpc::Slice>>(std::move(message->slices));
  TakeFrame(header, std::move(message->parts), [slices] { slices->clear(); });
}

bool IncomingStream::TakeShared() {
  bool took = false;
  while (lane_ != nullptr) {
    const std::optional<std::uint32_t> mark = lane_->in().NextMark();
    if (!mark || static_cast<std::int32_t>(*mark - streamed_) > 0) break;
    took = true;
    const absl::Status taken = TakeSharedFrame(*mark);
    if (!taken.ok()) Break(taken);
  }
  return took;
}

void IncomingStream::Break(const absl::Status& why) {
  lane_.reset();
  owner_.OnIncomingEnded(process_, why);
}

absl::Status IncomingStream::TakeSharedFrame(std::uint32_t mark) {
  if (mark != streamed_) {
    return absl::DataLossError(
        absl::StrCat("a frame in shared memory is marked as the one after ",
                     mark, " others, of which ", streamed_, " came"));
  }
  lane_used_ = true;
  PODSIM_ASSIGN_OR_RETURN(RingReader::Entry entry, lane_->in().Take());
  TakeFrame(
      DecodeHeader(entry.header), std::move(entry.payload),
      [lane = lane_, number = entry.number] { lane->in().GiveBack(number); });
  return absl::OkStatus();
}

void IncomingStream::SetWaiting(bool waiting) {
  if (lane_ != nullptr) lane_->in().SetWaiting(waiting);
}

void IncomingStream::TakeFrame(const absl::StatusOr<WireHeader>& header,
                               Payload::Parts payload,
                               std::function<void()> drop) {
  Payload held(std::move(payload), std::move(drop));
  absl::Status status = header.status();
  if (status.ok()) {
    status = VerifyOrigin(*header, identity_.pod_tag, identity_.generation);
  }
  if (status.ok()) status = owner_.CheckHosts(process_, header->frame);
  if (!status.ok()) return owner_.OnUnreadableFrame(process_, status);
  switch (header->kind) {
    case FrameKind::kData:
      return TakeData(*header, std::move(held));
    case FrameKind::kCreditRequest:
      debts_[RouteOf(header->frame)].asked = true;
      return GiveCredit(RouteOf(header->frame));
    case FrameKind::kCredit:
      return owner_.OnUnreadableFrame(
          process_, absl::InternalError("got a credit where data are due"));
    case FrameKind::kWake:
      return;
  }
}

void IncomingStream::TakeData(const WireHeader& header, Payload payload) {
  const FrameHeader& frame = header.frame;
  // The sender was charged by the header's length, right or not.
  const std::int64_t charge = ChargeOf(header.bytes);
  if (const absl::Status bad = VerifyLength(header, payload.parts());
      !bad.ok()) {
    mailbox_.Push(BadFrame{.host = frame.to, .peer = frame.from, .why = bad});
    return Release(RouteOf(frame), charge);
  }
  Payload::Parts parts = payload.parts();
  auto release = [held = std::make_shared<Payload>(std::move(payload)),
                  stream = weak_from_this(), route = RouteOf(frame), charge] {
    *held = Payload();
    if (const auto alive = stream.lock()) alive->Release(route, charge);
  };
  mailbox_.Push(Arrival{.header = frame,
                        .payload = Payload(std::move(parts), std::move(release),
                                           header.payload_crc)});
}

void IncomingStream::Release(const Route& route, std::int64_t charge) {
  debts_[route].charge += charge;
  GiveCredit(route);
}

void IncomingStream::GiveCredit(const Route& route) {
  const Debt& debt = debts_[route];
  if (debt.charge < (debt.asked ? 1 : CreditBatchOf(route.lane))) return;
  due_.insert(route);
  WriteNext();
}

void IncomingStream::WriteNext() {
  while (!due_.empty() && ShareCredit(*due_.begin())) due_.erase(due_.begin());
  if (write_.pending() || finishing_) return;
  if (std::exchange(wake_, false)) {
    stream_.Write(MakeMessage(HeaderOf(FrameKind::kWake, {}, 0, identity_)),
                  write_.Begin());
  } else if (!due_.empty()) {
    const Route route = *due_.begin();
    due_.erase(due_.begin());
    stream_.Write(MakeMessage(CreditOf(route)), write_.Begin());
    debts_[route] = Debt{};
  }
}

WireHeader IncomingStream::CreditOf(const Route& route) {
  return HeaderOf(FrameKind::kCredit, route, debts_[route].charge, identity_);
}

bool IncomingStream::ShareCredit(const Route& route) {
  if (lane_ == nullptr || !lane_used_ ||
      !lane_->out().Put(0, EncodeHeader(CreditOf(route)), {})) {
    return false;
  }
  debts_[route] = Debt{};
  wake_ = wake_ || lane_->out().TakeWaiting();
  return true;
}

void IncomingStream::OnWritten(bool ok) {
  replied_ = replied_ || ok;
  if (finishing_) {
    stream_.Finish(ToGrpcStatus(final_), finish_.Begin());
  } else if (ok) {
    WriteNext();
  }
}

void IncomingStream::Finish(const absl::Status& status) {
  finishing_ = true;
  final_ = status;
  // gRPC takes no Finish beside a write; OnWritten comes back to it.
  if (write_.pending()) return;
  stream_.Finish(ToGrpcStatus(status), finish_.Begin());
}

}  // namespace podsim
