#include "tests/testing/gcs/faulty_http.h"

#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "base/status.h"
#include "host/storage/gcs/reading.h"

namespace podsim::testing {
namespace {

constexpr std::array<const char*, 12> kNames = {
    "none",  "busy", "too many",    "internal", "lost request", "lost answer",
    "stall", "cut",  "flipped bit", "no JSON",  "expired",      "half a piece"};

// How a read of a whole object begins.
const std::string kWhole = absl::StrCat("Range: bytes=0-", kGcsReadBytes - 1);

HttpResponse Refusal(int status) {
  return {.status = status,
          .body = absl::StrCat(R"({"error":{"code":)", status,
                               R"(,"message":"Backend Error"}})")};
}

}  // namespace

FaultyHttp::FaultyHttp(Options options, SimClock* clock,
                       std::unique_ptr<Http> base)
    : options_(std::move(options)), clock_(clock), base_(std::move(base)) {}

std::uint64_t FaultyHttp::Draw() {
  const auto words = Philox(options_.seed, drawn_++, 1);
  return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
}

FaultyHttp::Fault FaultyHttp::Choose(const HttpRequest& request) {
  if (healed_ || static_cast<int>(Draw() % 1000) >= options_.per_mille)
    return Fault::kNone;
  // Of whole objects: of a part of one nothing tells whether it is right.
  bool whole = request.url.find("&generation=") != std::string::npos;
  for (const std::string& header : request.headers)
    whole = whole || header == kWhole;
  const bool media = request.url.find("alt=media") != std::string::npos;
  const bool piece = request.method == "PUT" && request.body.size() > 1;
  for (;;) {
    const auto fault = static_cast<Fault>(1 + Draw() % 11);
    if (fault == Fault::kFlippedBit && !(media && whole)) continue;
    if (fault == Fault::kNoJson && (media || request.method == "DELETE"))
      continue;
    if (fault == Fault::kHalfAPiece && !piece) continue;
    return fault;
  }
}

absl::StatusOr<HttpResponse> FaultyHttp::Play(Fault fault, std::uint64_t random,
                                              const HttpRequest& request) {
  const absl::Status reset =
      absl::UnavailableError("http://127.0.0.1:1: Connection reset by peer");
  switch (fault) {
    case Fault::kNone:
      return base_->Send(request);
    case Fault::kBusy:
      return Refusal(503);
    case Fault::kInternal:
      return Refusal(500);
    case Fault::kExpired:
      return Refusal(401);
    case Fault::kTooMany: {
      HttpResponse answer = Refusal(429);
      answer.headers["retry-after"] = "2";
      return answer;
    }
    case Fault::kLostRequest:
      return reset;
    case Fault::kHalfAPiece: {
      HttpRequest part = request;
      part.body = request.body.substr(0, request.body.size() / 2);
      PODSIM_RETURN_IF_ERROR(base_->Send(part).status());
      return reset;
    }
    case Fault::kLostAnswer:
    case Fault::kCut:
      PODSIM_RETURN_IF_ERROR(base_->Send(request).status());
      return reset;
    case Fault::kStall:
      PODSIM_RETURN_IF_ERROR(base_->Send(request).status());
      clock_->Advance(absl::Seconds(20));
      return absl::UnavailableError("http://127.0.0.1:1: no bytes for 20s");
    case Fault::kFlippedBit: {
      PODSIM_ASSIGN_OR_RETURN(HttpResponse answer, base_->Send(request));
      if (answer.status < 300 && !answer.body.empty())
        answer.body[random % answer.body.size()] ^= 4;
      return answer;
    }
    case Fault::kNoJson: {
      PODSIM_ASSIGN_OR_RETURN(HttpResponse answer, base_->Send(request));
      if (answer.status == 200) answer.body.resize(answer.body.size() / 2);
      return answer;
    }
  }
  return reset;
}

absl::StatusOr<HttpResponse> FaultyHttp::Send(const HttpRequest& request) {
  Fault fault = Fault::kNone;
  std::uint64_t random = 0;
  std::uint64_t others = 0;
  {
    MutexLock lock(mutex_);
    others = healed_ ? 1 : Draw();
    fault = Choose(request);
    random = Draw();
    ++played_[kNames[static_cast<std::size_t>(fault)]];
  }
  if (options_.others != nullptr && others % 8 == 0) options_.others(others);
  return Play(fault, random, request);
}

void FaultyHttp::Heal() {
  MutexLock lock(mutex_);
  healed_ = true;
}

std::map<std::string, int> FaultyHttp::played() const {
  MutexLock lock(mutex_);
  return played_;
}

}  // namespace podsim::testing
