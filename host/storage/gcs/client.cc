#include "host/storage/gcs/client.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/random.h"
#include "base/status.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/gcs/safe_url.h"

namespace podsim {
namespace {

// A token is renewed while it is still good for so long.
constexpr absl::Duration kTokenMargin = absl::Minutes(2);

bool MayBeExpected(int status) {
  return (status >= 200 && status < 300) || status == 304 || status == 308 ||
         status == 404 || status == 412 || status == 416;
}

absl::StatusCode CodeOf(int status) {
  switch (status) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    default:
      return IsTransient(status) ? absl::StatusCode::kUnavailable
                                 : absl::StatusCode::kInvalidArgument;
  }
}

absl::Status RefusalOf(const HttpResponse& answer) {
  const std::string said = ErrorText(answer.body);
  return {CodeOf(answer.status),
          absl::StrCat("the store answers ", answer.status,
                       said.empty() ? "" : ": ", said)};
}

// Seconds alone: the other form of the header, a date, counts as none.
absl::Duration RetryAfter(const HttpResponse& answer) {
  int seconds = 0;
  if (!absl::SimpleAtoi(std::string(answer.Header("retry-after")), &seconds) ||
      seconds < 0)
    return absl::ZeroDuration();
  return absl::Seconds(seconds);
}

// Of an attempt that failed before an answer came.
bool MayComeLater(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDataLoss(status);
}

absl::Status WithAttempts(const absl::Status& status, const std::string& doing,
                          int attempts, absl::Duration span) {
  std::string tried;
  if (attempts > 1)
    tried = absl::StrCat(
        " (attempt ", attempts, ", ",
        absl::FormatDuration(absl::Trunc(span, absl::Milliseconds(1))),
        " after the first)");
  // What comes damaged may lie there whole.
  return {
      absl::IsDataLoss(status) ? absl::StatusCode::kUnavailable : status.code(),
      absl::StrCat(doing, ": ", status.message(), tried)};
}

}  // namespace

GcsClient::GcsClient(Options options, std::unique_ptr<Http> http,
                     std::unique_ptr<TokenSource> tokens)
    : options_(std::move(options)),
      http_(std::move(http)),
      tokens_(std::move(tokens)) {}

std::uint64_t GcsClient::Random() {
  const auto words = Philox(options_.seed, drawn_.fetch_add(1), 0);
  return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
}

absl::StatusOr<std::string> GcsClient::Token(bool anew) {
  MutexLock lock(mutex_);
  const absl::Time now = options_.waiter.now();
  if (anew || now + kTokenMargin >= token_ends_) {
    absl::StatusOr<GcsToken> token = tokens_->Fetch();
    // One that still holds is as good as a new one.
    if (!token.ok() && (anew || now >= token_ends_)) return token.status();
    if (token.ok()) {
      token_ = std::move(token->token);
      token_ends_ = now + token->lasts;
    }
  }
  return token_;
}

GcsClient::Attempt GcsClient::TryOnce(const GcsCall& call, bool anew) {
  HttpRequest request{.method = call.method,
                      .url = call.target.front() == '/'
                                 ? options_.endpoint + call.target
                                 : call.target,
                      .headers = call.headers,
                      .body = call.body,
                      .most_bytes = call.most_bytes};
  absl::StatusOr<std::string> token = Token(anew);
  if (!token.ok())
    return {.answer = Annotate(token.status(), "credentials"),
            .retry = MayComeLater(token.status())};
  if (!token->empty()) {
    if (!MayCarrySecret(request.url) ||
        !SameOrigin(request.url, options_.endpoint))
      return {.answer = absl::PermissionDeniedError(absl::StrCat(
                  "no token is sent to ", HostOf(options_.endpoint),
                  " in the clear, nor to where it points: give https://"))};
    request.headers.push_back("Authorization: Bearer " + *token);
  }
  absl::StatusOr<HttpResponse> answer = http_->Send(request);
  if (!answer.ok())
    return {.answer = answer, .retry = MayComeLater(answer.status())};
  if (!MayBeExpected(answer->status))
    return {.answer = RefusalOf(*answer),
            .retry = IsTransient(answer->status) || answer->status == 401,
            .wait = RetryAfter(*answer)};
  if (call.check != nullptr) {
    absl::Status damage = call.check(*answer);
    if (!damage.ok()) return {.answer = std::move(damage), .retry = true};
  }
  return {.answer = std::move(answer)};
}

absl::StatusOr<GcsAnswer> GcsClient::Call(const GcsCall& call) {
  const absl::Time begin = options_.waiter.now();
  bool anew = false;
  int refused = 0;
  for (int number = 1;; ++number) {
    Attempt attempt = TryOnce(call, anew);
    if (attempt.answer.ok())
      return GcsAnswer{.http = *std::move(attempt.answer), .attempts = number};
    const absl::Status& status = attempt.answer.status();
    const absl::Duration span = options_.waiter.now() - begin;
    // A token may have ended early, once; a second refusal is meant.
    anew = absl::IsUnauthenticated(status);
    refused += anew ? 1 : 0;
    const absl::Duration wait =
        BackOff(options_.retry, number, Random(), attempt.wait);
    if (!attempt.retry || call.once || refused > 1 ||
        span + wait > options_.retry.budget)
      return WithAttempts(status, call.doing, number, span);
    options_.waiter.wait(wait);
  }
}

}  // namespace podsim
