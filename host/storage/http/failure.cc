#include "host/storage/http/failure.h"

#include <optional>

#include "absl/strings/cord.h"

namespace podsim {
namespace {

constexpr char kMark[] = "podsim/mending";

}  // namespace

absl::Status MarkMending(absl::Status status, Mending mending) {
  const char mark = static_cast<char>('0' + static_cast<int>(mending));
  status.SetPayload(kMark, absl::Cord(absl::string_view(&mark, 1)));
  return status;
}

Mending MendingOf(const absl::Status& status, bool answered) {
  if (const auto mark = status.GetPayload(kMark)) {
    if (answered) return Mending::kLater;
    return static_cast<Mending>(std::string(*mark).front() - '0');
  }
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return Mending::kLater;
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kDeadlineExceeded:
      return Mending::kSoon;
    default:
      return Mending::kNever;
  }
}

}  // namespace podsim
