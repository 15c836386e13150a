#include "limit_sequence.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "limit_sum.h"
#include "options.h"

namespace podsim::peers {
namespace {

// Drops the first `bytes` of what `message` points to.
void Advance(msghdr& message, std::size_t bytes) {
  while (message.msg_iovlen > 0 && bytes >= message.msg_iov->iov_len) {
    bytes -= message.msg_iov->iov_len;
    ++message.msg_iov;
    --message.msg_iovlen;
  }
  if (message.msg_iovlen == 0) return;
  message.msg_iov->iov_base =
      static_cast<char*>(message.msg_iov->iov_base) + bytes;
  message.msg_iov->iov_len -= bytes;
}

void SendAll(int socket, msghdr message) {
  while (message.msg_iovlen > 0) {
    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) DieOfErrno("sendmsg");
    Advance(message, static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
}

void ReceiveAll(int socket, msghdr message, int yields) {
  while (message.msg_iovlen > 0) {
    const int flags = yields > 0 ? MSG_DONTWAIT : MSG_WAITALL;
    const ssize_t got = recvmsg(socket, &message, flags);
    if (got == 0) Die("a peer has ended");
    if (got > 0) {
      Advance(message, static_cast<std::size_t>(got));
    } else if (errno == EAGAIN) {
      --yields;
      sched_yield();
    } else if (errno != EINTR) {
      DieOfErrno("recvmsg");
    }
  }
}

}  // namespace

Sequence::Sequence(const FrameRules& rules, std::vector<int> sockets,
                   const Plan& plan, std::size_t elements, int yields)
    : rules_(rules),
      sockets_(std::move(sockets)),
      plan_(plan),
      elements_(elements),
      yields_(yields),
      scratch_(plan.scratch) {
  std::size_t longest = 0;
  for (const Op& op : plan_.ops) longest = std::max(longest, op.count);
  received_.resize(longest);
}

void Sequence::Run(float* data) {
  ++sequence_;
  sent_ = nullptr;
  for (const Op& op : plan_.ops) {
    float* const mine = At(data, op.begin);
    switch (op.kind) {
      case OpKind::kSend:
        Send(op, mine);
        continue;
      case OpKind::kReceiveCopy:
        Receive(op, mine);
        break;
      case OpKind::kReceiveSum:
        Receive(op, received_.data());
        Sum(received_.data(), mine, op.count);
        break;
      case OpKind::kSum:
        Sum(At(data, op.source), mine, op.count);
        break;
    }
    sent_ = nullptr;
  }
}

float* Sequence::At(float* data, std::size_t begin) {
  return begin < elements_ ? data + begin : scratch_.data() + begin - elements_;
}

void Sequence::Send(const Op& op, const float* payload) {
  const bool again =
      sent_ != nullptr && sent_->begin == op.begin && sent_->count == op.count;
  if (rules_.checksum && !again) {
    sent_crc_ = Crc(payload, op.count * sizeof(float));
  }
  sent_ = &op;
  FrameHeader header = MakeHeader(rules_, sequence_, op, sent_crc_);
  iovec parts[] = {{&header, sizeof(header)},
                   {const_cast<float*>(payload), op.count * sizeof(float)}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  SendAll(sockets_[op.peer], message);
}

void Sequence::Receive(const Op& op, float* payload) {
  FrameHeader header;
  iovec parts[] = {{&header, sizeof(header)},
                   {payload, op.count * sizeof(float)}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  ReceiveAll(sockets_[op.peer], message, yields_);
  CheckHeader(rules_, sequence_, op, header);
  CheckPayload(rules_, op, header, payload);
}

}  // namespace podsim::peers
