// Calls to Cloud Storage's JSON API: each with a token, and made again while
// the store says that this may help.
#ifndef PODSIM_HOST_STORAGE_GCS_CLIENT_H_
#define PODSIM_HOST_STORAGE_GCS_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "host/storage/gcs/retry.h"
#include "host/storage/gcs/tokens.h"
#include "host/storage/http/failure.h"
#include "host/storage/http/http.h"
#include "host/storage/store_waits.h"
#include "host/storage/waiter.h"

namespace podsim {

// Cloud Storage itself; any other endpoint is of STORAGE_EMULATOR_HOST.
inline constexpr char kGoogleStorage[] = "https://storage.googleapis.com";

// One call, which may be made several times: REQUIRES that this does no harm,
// which is the caller's to see to (preconditions on generations).
struct GcsCall {
  std::string doing;  // "read gs://bucket/x", for messages
  std::string method = "GET";
  std::string target;  // "/storage/v1/b/...", or the URL of an upload's session
  std::vector<std::string> headers = {};
  std::string_view body = {};
  std::int64_t most_bytes = std::int64_t{1} << 20;
  // Fails at the first failure: what to do then is the caller's to find out.
  bool once = false;
  // Of an answer that was asked for and came: not OK if it is damaged, and so
  // to be asked for again. Empty: takes it as it is.
  std::function<absl::Status(const HttpResponse&)> check = {};
};

struct GcsAnswer {
  HttpResponse http;
  int attempts = 1;
  int status() const { return http.status; }
};

// Thread-safe.
class GcsClient {
 public:
  struct Options {
    std::string endpoint;  // "https://storage.googleapis.com"
    RetryLimits retry;
    Waiter waiter = SystemWaiter();
    std::uint64_t seed = 0;  // of the back-off's jitter
    // Told of waits, and asked whether to go on. Null: nobody. Borrowed.
    StoreWaits* waits = nullptr;
  };
  GcsClient(Options options, std::unique_ptr<Http> http,
            std::unique_ptr<TokenSource> tokens);

  // Answers of 2xx, 304, 308, 404, 412 and 416: those a caller may expect, as
  // far as they are the store's and no web page or redirect of a proxy.
  // Errors: UNAVAILABLE (busy, out of reach, somebody else's, or damaged on the
  //   way: still so when the budget was spent, saying after how many attempts
  //   in which time; or nobody waits any longer; or, at once, another attempt
  //   would be no better),
  //   UNAUTHENTICATED,
  //   PERMISSION_DENIED, RESOURCE_EXHAUSTED (a quota), INVALID_ARGUMENT (the
  //   store does not take it), with the store's own words. All name
  //   `call.doing`.
  absl::StatusOr<GcsAnswer> Call(const GcsCall& call);

  const std::string& endpoint() const { return options_.endpoint; }
  bool IsGoogles() const { return options_.endpoint == kGoogleStorage; }
  const Options& options() const { return options_; }
  // As between attempts of a call, for callers who make several; at most
  // `longest`.
  absl::Duration BackOffAfter(int attempt, absl::Duration longest);

 private:
  // One attempt, with a new token if `anew`. `mending`: whether another may
  // help; `wait`: for how long the store asks to be left alone.
  struct Attempt {
    absl::StatusOr<HttpResponse> answer;
    Mending mending = Mending::kNever;
    absl::Duration wait;
    bool refused = false;    // the token
    bool unreached = false;  // nobody answered
  };
  Attempt TryOnce(const GcsCall& call, bool anew, StoreWaits::Call& spoken);
  Attempt Judge(const GcsCall& call, absl::StatusOr<HttpResponse> answer);
  absl::StatusOr<std::string> Token(bool anew, const HttpWatch& watch);
  std::uint64_t Random();

  const Options options_;
  const std::unique_ptr<Http> http_;
  const std::unique_ptr<TokenSource> tokens_;
  std::atomic<std::uint64_t> drawn_{0};
  std::atomic<bool> answered_{false};  // the store has, as a store does
  std::atomic<bool> given_up_{false};  // by the last call
  Mutex mutex_;  // held while a token is fetched: one fetch serves all
  std::string token_ PODSIM_GUARDED_BY(mutex_);
  absl::Time token_ends_ PODSIM_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_CLIENT_H_
