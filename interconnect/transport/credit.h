// Flow control of one route: how many bytes are on their way, and who was
// refused. Pure; one thread at a time.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_CREDIT_H_
#define PODSIM_INTERCONNECT_TRANSPORT_CREDIT_H_

#include <compare>
#include <cstddef>
#include <cstdint>

#include "interconnect/transport/endpoint.h"

namespace podsim {

// What has an order and a bound of its own.
struct Route {
  std::int32_t from = 0;
  std::int32_t to = 0;
  Lane lane = Lane::kBulk;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 errs on default <=>
  auto operator<=>(const Route&) const = default;
};

inline Route RouteOf(const FrameHeader& header) {
  return {header.from, header.to, header.lane};
}

// What a frame takes from the bound: its payload, or its header if that is
// more, so that empty frames are bounded too.
std::int64_t ChargeOf(std::size_t payload_bytes);

// The lane's part of kMaxBytesInFlight.
constexpr std::int64_t BoundOf(Lane lane) {
  return lane == Lane::kExpress ? kMaxExpressBytesInFlight
                                : kMaxBytesInFlight - kMaxExpressBytesInFlight;
}

// A receiver may keep less than this of a route's credit back until it is worth
// a message, unless the sender asks.
constexpr std::int64_t CreditBatchOf(Lane lane) { return BoundOf(lane) / 4; }

// The sender's side.
class CreditAccount {
 public:
  explicit CreditAccount(Lane lane)
      : bound_(BoundOf(lane)), batch_(CreditBatchOf(lane)) {}

  // Takes `charge` if it fits, or if nothing is in flight (so that a frame
  // larger than the bound passes alone). Otherwise remembers that it did not.
  bool Take(std::int64_t charge);

  // Gives back what Take took. More than is in flight counts as all.
  void Return(std::int64_t charge);

  // Something was refused and has not been offered again.
  bool waiting() const { return refused_ > 0; }

  // True once after a refusal, when the smallest refused charge would fit now.
  bool Reopen();

  // True for the first call after a refusal or a Return that still leaves
  // somebody waiting for what the receiver may have kept back: the moment to
  // ask. False where even that would not be enough.
  bool ShouldAsk();

  std::int64_t in_flight() const { return in_flight_; }

 private:
  bool FitsBeside(std::int64_t in_flight, std::int64_t charge) const;

  std::int64_t bound_;
  std::int64_t batch_;
  std::int64_t in_flight_ = 0;
  std::int64_t refused_ = 0;  // smallest charge refused; 0: none
  bool asked_ = false;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_CREDIT_H_
