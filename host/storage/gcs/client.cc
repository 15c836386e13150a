#include "host/storage/gcs/client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/random.h"
#include "base/status.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/gcs/safe_url.h"

namespace podsim {
namespace {

// A token is renewed while it is still good for so long.
constexpr absl::Duration kTokenMargin = absl::Minutes(2);
constexpr char kWhoseAnswer[] =
    "; is a proxy in between, or does this network want a login?";

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

// How to be let in.
const char* WayInto(int status) {
  switch (status) {
    case 401:
      return "; log in (gcloud auth application-default login), or name other "
             "credentials (PODSIM_GCS_CREDENTIALS)";
    case 403:
      return "; give that account a role on the bucket, such as "
             "roles/storage.objectUser, or name other credentials "
             "(PODSIM_GCS_CREDENTIALS)";
    default:
      return "";
  }
}

absl::Status RefusalOf(const HttpResponse& answer) {
  const std::string said = ErrorText(answer.body);
  // What is busy may show a page of its own.
  const bool others = IsHtml(answer.body) && !IsTransient(answer.status);
  return {CodeOf(answer.status),
          absl::StrCat("the store answers ", answer.status,
                       said.empty() ? "" : ": ", said,
                       others ? ", with HTML; is a proxy in between?"
                              : WayInto(answer.status))};
}

// Seconds alone: the other form of the header, a date, counts as none.
absl::Duration RetryAfter(const HttpResponse& answer) {
  int seconds = 0;
  if (!absl::SimpleAtoi(std::string(answer.Header("retry-after")), &seconds) ||
      seconds < 0)
    return absl::ZeroDuration();
  return absl::Seconds(seconds);
}

// Its answer is an object's bytes, which may be anything.
bool ReadsMedia(const GcsCall& call) {
  return call.target.find("alt=media") != std::string::npos;
}

// A page for people where the API writes JSON: what a network shows that wants
// a login first, or a proxy. The bytes of an object may be one: they come with
// what the store says of them, or as the range that was asked for.
bool IsPage(const GcsCall& call, const HttpResponse& answer) {
  const bool of_object =
      ReadsMedia(call) &&
      (answer.status == 206 || !answer.Header("x-goog-generation").empty() ||
       !answer.Header("x-goog-hash").empty());
  return !of_object && IsHtml(answer.body);
}

// The API sends nobody elsewhere: its 308 says how far an upload is.
bool IsRedirect(const HttpResponse& answer) {
  switch (answer.status) {
    case 301:
    case 302:
    case 303:
    case 307:
      return true;
    default:
      return answer.status == 308 && !answer.Header("location").empty();
  }
}

absl::Status Redirected(const HttpResponse& answer, const std::string& host) {
  const std::string to(answer.Header("location"));
  const bool absolute = to.find("://") != std::string::npos;
  return absl::UnavailableError(absl::StrCat(
      "answered with a redirect (status ", answer.status, ")",
      absolute ? " to " + PrintableLine(HostOf(to)) : std::string(), " by ",
      host, ", which is not followed", kWhoseAnswer));
}

// OK: the answer may be the store's.
absl::Status CheckIsTheStores(const GcsCall& call, const HttpResponse& answer,
                              const std::string& host) {
  absl::Status status;
  if (IsRedirect(answer)) {
    status = Redirected(answer, host);
  } else if (MayBeExpected(answer.status) && IsPage(call, answer)) {
    status = absl::UnavailableError(absl::StrCat("answered with HTML (status ",
                                                 answer.status, ") by ", host,
                                                 kWhoseAnswer));
  }
  return status.ok() ? status : MarkMending(status, Mending::kNever);
}

absl::Status WithAttempts(const absl::Status& status, const std::string& doing,
                          int attempts, absl::Duration span) {
  std::string tried;
  if (attempts > 1)
    tried = absl::StrCat(
        " (attempt ", attempts, ", ",
        absl::FormatDuration(absl::Trunc(span, absl::Milliseconds(1))),
        " after the first)");
  // What comes damaged may lie there whole, what comes too late may come.
  const bool unavailable =
      absl::IsDataLoss(status) || absl::IsDeadlineExceeded(status);
  return {unavailable ? absl::StatusCode::kUnavailable : status.code(),
          absl::StrCat(doing, ": ", status.message(), tried)};
}

// Of a call that nobody wants to go on with, after so many attempts.
absl::Status NotWaitedFor(const StoreWaits::Call& spoken,
                          const std::string& doing, int attempts) {
  return absl::UnavailableError(absl::StrCat(
      doing, ": ", spoken.why(), " (given up after ", attempts,
      attempts == 1 ? " attempt: " : " attempts: ", spoken.why_ended(), ")"));
}

// Of an endpoint that has never answered: what to look at.
absl::Status WithWayTo(const absl::Status& status, bool googles) {
  return {status.code(),
          absl::StrCat(status.message(),
                       googles ? "; check this machine's network and proxy "
                                 "(https_proxy)"
                               : "; start the emulator there, or correct "
                                 "STORAGE_EMULATOR_HOST")};
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

absl::Duration GcsClient::BackOffAfter(int attempt, absl::Duration longest) {
  RetryLimits limits = options_.retry;
  limits.longest = std::min(limits.longest, longest);
  return BackOff(limits, attempt, Random(), absl::ZeroDuration());
}

absl::StatusOr<std::string> GcsClient::Token(bool anew,
                                             const HttpWatch& watch) {
  MutexLock lock(mutex_);
  const absl::Time now = options_.waiter.now();
  if (anew || now + kTokenMargin >= token_ends_) {
    // While others fetched one, everybody may have been told to end.
    if (watch && !watch(0))
      return absl::CancelledError("not waited for any longer");
    absl::StatusOr<GcsToken> token = tokens_->Fetch(watch);
    // One that still holds is as good as a new one.
    if (!token.ok() && (anew || now >= token_ends_)) return token.status();
    if (token.ok()) {
      token_ = std::move(token->token);
      token_ends_ = now + token->lasts;
    }
  }
  return token_;
}

GcsClient::Attempt GcsClient::TryOnce(const GcsCall& call, bool anew,
                                      StoreWaits::Call& spoken) {
  HttpRequest request{
      .method = call.method,
      .url = call.target.front() == '/' ? options_.endpoint + call.target
                                        : call.target,
      .headers = call.headers,
      .body = call.body,
      .most_bytes = call.most_bytes,
      .watch = [&spoken](std::int64_t moved) { return spoken.GoOn(moved); }};
  spoken.Awaits(absl::StrCat("no token from ", tokens_->name(), " yet"));
  absl::StatusOr<std::string> token = Token(anew, request.watch);
  if (!token.ok())
    return {.answer = Annotate(token.status(), "credentials"),
            .mending = MendingOf(token.status(), answered_)};
  if (!token->empty()) {
    if (!MayCarrySecret(request.url) ||
        !SameOrigin(request.url, options_.endpoint))
      return {.answer = absl::PermissionDeniedError(absl::StrCat(
                  "no token is sent to ", HostOf(options_.endpoint),
                  " in the clear, nor to where it points: give https:// in "
                  "STORAGE_EMULATOR_HOST, or PODSIM_GCS_CREDENTIALS=none"))};
    request.headers.push_back("Authorization: Bearer " + *token);
  }
  spoken.Awaits(absl::StrCat("no answer from ", HostOf(request.url), " yet"));
  return Judge(call, http_->Send(request));
}

GcsClient::Attempt GcsClient::Judge(const GcsCall& call,
                                    absl::StatusOr<HttpResponse> answer) {
  if (!answer.ok())
    return {.answer = answer,
            .mending = MendingOf(answer.status(), answered_),
            .unreached = absl::IsUnavailable(answer.status())};
  absl::Status damage =
      CheckIsTheStores(call, *answer, HostOf(options_.endpoint));
  if (!damage.ok())
    return {.answer = damage, .mending = MendingOf(damage, answered_)};
  if (!MayBeExpected(answer->status)) {
    const bool again = IsTransient(answer->status) || answer->status == 401;
    return {.answer = RefusalOf(*answer),
            .mending = again ? Mending::kLater : Mending::kNever,
            .wait = RetryAfter(*answer),
            .refused = answer->status == 401};
  }
  if (call.check != nullptr) damage = call.check(*answer);
  if (damage.ok()) return {.answer = std::move(answer)};
  return {.answer = damage, .mending = MendingOf(damage, answered_)};
}

absl::StatusOr<GcsAnswer> GcsClient::Call(const GcsCall& call) {
  const absl::Time begin = options_.waiter.now();
  RetryLimits limits = options_.retry;
  if (given_up_) limits.budget = std::min(limits.budget, limits.given_up);
  StoreWaits::Call spoken(options_.waits, call.doing, limits.budget);
  bool anew = false;
  int refused = 0;
  bool unreached = false;
  const auto told = [&](const absl::Status& status) {
    return unreached && !answered_ ? WithWayTo(status, IsGoogles()) : status;
  };
  for (int number = 1;; ++number) {
    if (!spoken.why_ended().empty())
      return told(NotWaitedFor(spoken, call.doing, number - 1));
    Attempt attempt = TryOnce(call, anew, spoken);
    unreached = attempt.unreached;
    if (attempt.answer.ok()) {
      // Whatever stands in the store's place answers a read.
      if (!ReadsMedia(call)) answered_ = true;
      given_up_ = false;
      spoken.Answered();
      return GcsAnswer{.http = *std::move(attempt.answer), .attempts = number};
    }
    if (!spoken.why_ended().empty()) continue;
    const absl::Status failure = attempt.answer.status();
    const absl::Duration span = options_.waiter.now() - begin;
    // A token may have ended early, once; a second refusal is meant.
    anew = attempt.refused;
    refused += anew ? 1 : 0;
    const absl::Duration wait = BackOff(limits, number, Random(), attempt.wait);
    if (call.once || refused > 1 ||
        !TriesAgain(limits, attempt.mending, number, span, wait)) {
      given_up_ = given_up_ || span + wait > limits.budget;
      return told(WithAttempts(failure, call.doing, number, span));
    }
    spoken.Failed(std::string(failure.message()));
    spoken.Pause(wait, options_.waiter);
  }
}

}  // namespace podsim
