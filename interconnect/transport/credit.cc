#include "interconnect/transport/credit.h"

#include <algorithm>
#include <utility>

#include "interconnect/transport/frame.h"

namespace podsim {

std::int64_t ChargeOf(std::size_t payload_bytes) {
  return static_cast<std::int64_t>(std::max(payload_bytes, kFrameHeaderBytes));
}

bool CreditAccount::FitsBeside(std::int64_t in_flight,
                               std::int64_t charge) const {
  return in_flight == 0 || in_flight + charge <= bound_;
}

bool CreditAccount::Take(std::int64_t charge) {
  if (!FitsBeside(in_flight_, charge)) {
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
  if (!waiting() || !FitsBeside(in_flight_, refused_)) return false;
  refused_ = 0;
  return true;
}

bool CreditAccount::ShouldAsk() {
  // The receiver keeps less than a batch back.
  const std::int64_t rest = std::max<std::int64_t>(0, in_flight_ - batch_ + 1);
  if (!waiting() || !FitsBeside(rest, refused_)) return false;
  return !std::exchange(asked_, true);
}

}  // namespace podsim
