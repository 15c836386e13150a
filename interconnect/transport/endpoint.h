// The seam between collectives and the network: ordered, bounded, zero-copy
// frames from host to host.
//
// A Transport belongs to one process and carries the frames of all the hosts
// that the process plays (its local hosts). Nothing here blocks but Poll, which
// waits for at most the time given and delivers what happened to the sinks on
// the calling thread. So whoever polls needs no locks. A Transport is used by
// one thread, Wake() excepted.
//
//   transport.SetSink(rank, &executor);
//   transport.Send(rank, {.to = 1, .key = {...}}, bytes, token);
//   while (!executor.idle()) transport.Poll(absl::Milliseconds(100));
#ifndef PODSIM_INTERCONNECT_TRANSPORT_ENDPOINT_H_
#define PODSIM_INTERCONNECT_TRANSPORT_ENDPOINT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace podsim {

// The most payload bytes that may be on their way from one host to another
// and not yet consumed there, kept by credits of ours. A part of it is for
// express frames alone (see Lane): a receiver that keeps bulk frames must still
// get the express frame that it waits for. An empty frame counts as its header;
// a frame longer than its lane's part travels when its lane is empty.
// Two chunks of the default size over sockets: one on its way while one is
// summed; sixteen through shared memory. More only leaves the caches
// (docs/performance.md).
inline constexpr std::int64_t kMaxExpressBytesInFlight = 256 << 10;
inline constexpr std::int64_t kMaxBytesInFlight =
    (2 << 20) + kMaxExpressBytesInFlight;

// Which frame this is. Chunks are numbered by the plan; a (group, sequence)
// names one collective on one group of hosts.
struct FrameKey {
  std::uint32_t generation = 0;
  std::uint32_t group = 0;
  std::uint64_t sequence = 0;
  std::uint32_t chunk = 0;
  bool operator==(const FrameKey&) const = default;
};

// Two lanes, so that a small collective never queues behind 64 MiB.
enum class Lane : std::uint8_t { kBulk = 0, kExpress = 1 };

struct FrameHeader {
  std::int32_t from = 0;  // host ranks
  std::int32_t to = 0;
  Lane lane = Lane::kBulk;
  FrameKey key;
  // Of a frame to be sent: CRC-32C of its payload, if the sender has it at
  // hand. Unset: the transport makes it.
  std::optional<std::uint32_t> checksum = std::nullopt;
};

// Received bytes, borrowed from the transport until this object dies; then
// the sender gets its credit back. Parts are in order, need not be aligned,
// and a value may straddle two of them. Move-only.
class Payload {
 public:
  using Parts = std::vector<std::span<const std::byte>>;
  Payload() = default;
  Payload(Parts parts, std::function<void()> release,
          std::optional<std::uint32_t> checksum = std::nullopt)
      : parts_(std::move(parts)),
        release_(std::move(release)),
        checksum_(checksum) {}
  Payload(Payload&& other) noexcept { *this = std::move(other); }
  Payload& operator=(Payload&& other) noexcept {
    if (this == &other) return *this;
    Release();
    parts_ = std::move(other.parts_);
    release_ = std::move(other.release_);
    checksum_ = other.checksum_;
    other.parts_.clear();
    other.release_ = nullptr;
    return *this;
  }
  ~Payload() { Release(); }

  const Parts& parts() const { return parts_; }
  // What the CRC-32C of the parts must be, for whoever reads them to compare on
  // the way: to read a large payload twice costs as much as to sum it. Unset:
  // the bytes came over no wire, or were compared.
  const std::optional<std::uint32_t>& checksum() const { return checksum_; }

  std::size_t size() const {
    std::size_t bytes = 0;
    for (const auto& part : parts_) bytes += part.size();
    return bytes;
  }

 private:
  void Release() {
    if (release_) std::exchange(release_, nullptr)();
  }
  Parts parts_;
  std::function<void()> release_;
  std::optional<std::uint32_t> checksum_;
};

// What a local host hears from the transport; called from within Poll only.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  // Compare the payload's checksum, if it has one, before its bytes count.
  virtual void OnFrame(const FrameHeader& header, Payload payload) = 0;
  // The bytes handed to Send under `token` may be changed again.
  virtual void OnSendDone(std::uint64_t token) = 0;
  // Send to `peer` was refused for want of credit and is worth trying again.
  virtual void OnCredit(int peer) = 0;
  // No further frame will come from or reach `peer`. Latched: told once.
  // CANCELLED: the peer hung up, for a reason of its own; else it cannot be
  // reached.
  virtual void OnPeerLost(int peer, const absl::Status& why) = 0;
  // A frame was dropped as damaged, or of another generation or pod. The
  // status says what was wrong; a stream may continue after it.
  virtual void OnBadFrame(int peer, const absl::Status& why) = 0;
};

enum class SendResult { kQueued, kNoCredit, kNoPlace };

// Memory for a payload, in order: parts of multiples of 64 bytes, but the last.
using Places = std::vector<std::span<std::byte>>;
// Writes a payload there and returns its CRC-32C. Calls no transport.
using MakePayload =
    absl::FunctionRef<absl::StatusOr<std::uint32_t>(const Places& places)>;

class Transport {
 public:
  virtual ~Transport() = default;

  // Local host ranks, ascending.
  virtual const std::vector<int>& local_hosts() const = 0;

  // `sink` must outlive the transport or be replaced; a new sink hears of the
  // peers lost before it came. nullptr drops frames for the host and takes back
  // those that it has queued, without OnSendDone: on return the transport reads
  // its bytes no more. (That may wait a moment for a frame being written; other
  // hosts of this process may still hold payloads that borrow them: Leave.)
  virtual void SetSink(int local_host, FrameSink* sink) = 0;

  // SetSink(local_host, nullptr) of a host that goes while others of this
  // process may still read what it sent: `lent`, which owns those bytes, is let
  // go when the last of these payloads is, by whichever thread that is.
  virtual void Leave(int local_host, std::shared_ptr<const void> lent) {
    SetSink(local_host, nullptr);
    lent.reset();
  }

  // Queues a frame. `payload` is not copied: it must stay unchanged until
  // OnSendDone(token) on the sending host's sink. Frames of one lane between
  // two hosts arrive in order, each exactly once or not at all.
  // kNoCredit: not queued, OnCredit(header.to) follows when it may fit. When a
  // peer is lost, OnSendDone comes for what was still queued.
  // A payload larger than the bound is taken when its lane has nothing else in
  // flight.
  // Errors: INVALID_ARGUMENT (`from` is not local, `to` unknown, another
  //   generation than the transport's), UNAVAILABLE (peer lost).
  virtual absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                          std::span<const std::byte> payload,
                                          std::uint64_t token) = 0;

  // Queues a frame whose payload of `bytes` is made where its receiver will
  // read it, if there is such a place: memory shared with the receiver's
  // process. `make` is called before this returns. kNoPlace: there is none, now
  // or ever, and nothing was done; kNoCredit: as of Send. OnSendDone(token)
  // follows. Errors: as of Send, before `make` is called; what `make` returned,
  // and then nothing was queued. Once it has succeeded nothing fails.
  virtual absl::StatusOr<SendResult> SendInPlace(const FrameHeader& /*header*/,
                                                 std::size_t /*bytes*/,
                                                 MakePayload /*make*/,
                                                 std::uint64_t /*token*/) {
    return SendResult::kNoPlace;
  }

  // Waits up to `max_wait` for something to happen and delivers all that has.
  // Returns the number of events delivered; 0 after the wait or Wake().
  virtual int Poll(absl::Duration max_wait) = 0;

  // Makes a Poll in progress, or the next one, return. Thread-safe.
  virtual void Wake() = 0;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_ENDPOINT_H_
