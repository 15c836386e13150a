#include "interconnect/transport/credit.h"

#include <algorithm>
#include <utility>

#include "interconnect/transport/frame.h"

namespace podsim {

std::int64_t ChargeOf(std::size_t payload_bytes) {
  return static_cast<std::int64_t>(std::max(payload_bytes, kFrameHeaderBytes));
}

bool CreditAccount::Fits(std::int64_t charge) const {
  return in_flight_ == 0 || in_flight_ + charge <= bound_;
}

bool CreditAccount::Take(std::int64_t charge) {
  if (!Fits(charge)) {
    refused_ = refused_ == 0 ? charge : std::min(refused_, charge);
    return false;
  }
  in_flight_ += charge;
  return true;
}

void CreditAccount::Return(std::int64_t charge) {
  in_flight_ -= std::min(charge, in_flight_);
  asked_ = false;
}

bool CreditAccount::Reopen() {
  if (!waiting() || !Fits(refused_)) return false;
  refused_ = 0;
  return true;
}

bool CreditAccount::ShouldAsk() {
  return waiting() && !std::exchange(asked_, true);
}

}  // namespace podsim
