#include "limit_pipeline.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "limit_sum.h"
#include "options.h"

namespace podsim::peers {
namespace {

// The rest of a frame, of which `moved` bytes have gone.
struct Rest {
  Rest(FrameHeader& header, float* payload, std::size_t bytes,
       std::size_t moved) {
    if (moved < sizeof(header)) {
      parts[message.msg_iovlen++] = {reinterpret_cast<char*>(&header) + moved,
                                     sizeof(header) - moved};
    }
    const std::size_t past = std::max(moved, sizeof(header)) - sizeof(header);
    parts[message.msg_iovlen++] = {reinterpret_cast<char*>(payload) + past,
                                   bytes - past};
    message.msg_iov = parts;
  }
  iovec parts[2];
  msghdr message{};
};

// Bytes moved; 0 when the socket would block.
std::size_t Moved(ssize_t result, const char* what) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result == 0) Die("a peer has ended");
  if (errno != EAGAIN && errno != EINTR) DieOfErrno(what);
  return 0;
}

}  // namespace

Pipeline::Pipeline(const FrameRules& rules, std::vector<int> sockets,
                   const Plan& plan, bool reuse_crc, int yields)
    : rules_(rules),
      plan_(plan),
      reuse_crc_(reuse_crc),
      yields_(yields),
      peers_(sockets.size()),
      crc_from_(plan.ops.size(), -1),
      wants_crc_(plan.ops.size()),
      crc_(plan.ops.size()) {
  for (std::size_t i = 0; i < peers_.size(); ++i) peers_[i].socket = sockets[i];
  for (std::size_t i = 0; i < plan_.ops.size(); ++i) {
    const Op& op = plan_.ops[i];
    Peer& peer = peers_[op.peer];
    if (op.kind != OpKind::kSend) {
      peer.in.ops.push_back(static_cast<int>(i));
      peer.received.resize(std::max(peer.received.size(), op.count));
      continue;
    }
    peer.out.ops.push_back(static_cast<int>(i));
    if (op.after < 0) continue;
    const Op& source = plan_.ops[op.after];
    const bool same = source.begin == op.begin && source.count == op.count;
    if (same && (source.kind == OpKind::kReceiveSum || reuse_crc_)) {
      crc_from_[i] = op.after;
      wants_crc_[op.after] = true;
    }
  }
  std::erase_if(peers_, [](const Peer& peer) {
    return peer.in.ops.empty() && peer.out.ops.empty();
  });
}

void Pipeline::Run(float* data) {
  ++sequence_;
  data_ = data;
  left_ = plan_.ops.size();
  done_.assign(plan_.ops.size(), 0);
  for (Peer& peer : peers_) peer.out.next = peer.in.next = 0;
  for (int idle = 0; left_ > 0;) {
    if (MoveSome()) {
      idle = 0;
    } else if (++idle <= yields_) {
      sched_yield();
    } else {
      Wait();
    }
  }
}

bool Pipeline::MoveSome() {
  bool any = false;
  for (Peer& peer : peers_) any |= ReceiveSome(peer);
  for (Peer& peer : peers_) any |= SendSome(peer);
  return any;
}

bool Pipeline::Ready(const Lane& lane) const {
  if (lane.next == lane.ops.size()) return false;
  const int after = plan_.ops[lane.ops[lane.next]].after;
  return after < 0 || done_[after];
}

// Sends frames until the socket is full or the next is not ready.
bool Pipeline::SendSome(Peer& peer) {
  bool any = false;
  Lane& out = peer.out;
  while (Ready(out)) {
    const int index = out.ops[out.next];
    const Op& op = plan_.ops[index];
    const std::size_t bytes = op.count * sizeof(float);
    if (out.moved == 0) Begin(out);
    Rest rest(out.header, data_ + op.begin, bytes, out.moved);
    const std::size_t sent =
        Moved(sendmsg(peer.socket, &rest.message, MSG_DONTWAIT | MSG_NOSIGNAL),
              "sendmsg");
    any |= sent > 0;
    out.moved += sent;
    if (out.moved < sizeof(FrameHeader) + bytes) break;
    out.moved = 0;
    ++out.next;
    done_[index] = 1;
    --left_;
  }
  return any;
}

void Pipeline::Begin(Lane& out) {
  const int index = out.ops[out.next];
  const Op& op = plan_.ops[index];
  std::uint32_t crc = 0;
  if (rules_.checksum) {
    crc = crc_from_[index] >= 0
              ? crc_[crc_from_[index]]
              : Crc(data_ + op.begin, op.count * sizeof(float));
  }
  out.header = MakeHeader(rules_, sequence_, op, crc);
}

// Receives at most one frame, so that what it lets go is sent while it is in
// the cache.
bool Pipeline::ReceiveSome(Peer& peer) {
  Lane& in = peer.in;
  if (!Ready(in)) return false;
  const Op& op = plan_.ops[in.ops[in.next]];
  const std::size_t bytes = op.count * sizeof(float);
  float* const into =
      op.kind == OpKind::kReceiveSum ? peer.received.data() : data_ + op.begin;
  Rest rest(in.header, into, bytes, in.moved);
  const std::size_t got =
      Moved(recvmsg(peer.socket, &rest.message, MSG_DONTWAIT), "recvmsg");
  in.moved += got;
  if (in.moved == sizeof(FrameHeader) + bytes) Accept(peer);
  return got > 0;
}

void Pipeline::Accept(Peer& peer) {
  Lane& in = peer.in;
  const int index = in.ops[in.next];
  const Op& op = plan_.ops[index];
  float* const mine = data_ + op.begin;
  CheckHeader(rules_, sequence_, op, in.header);
  if (op.kind == OpKind::kReceiveCopy) {
    CheckPayload(rules_, op, in.header, mine);
    crc_[index] = in.header.payload_crc;
  } else {
    CheckPayload(rules_, op, in.header, peer.received.data());
    if (rules_.checksum && wants_crc_[index]) {
      crc_[index] = SumAndCrc(peer.received.data(), mine, op.count);
    } else {
      Sum(peer.received.data(), mine, op.count);
    }
  }
  in.moved = 0;
  ++in.next;
  done_[index] = 1;
  --left_;
}

void Pipeline::Wait() {
  std::vector<pollfd> waits;
  for (const Peer& peer : peers_) {
    short events = 0;
    if (Ready(peer.in)) events |= POLLIN;
    if (Ready(peer.out)) events |= POLLOUT;
    if (events != 0) waits.push_back({peer.socket, events, 0});
  }
  if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
    DieOfErrno("poll");
  }
}

}  // namespace podsim::peers
