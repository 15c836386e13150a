// HTTP as the object stores need it: one request, one answer in memory.
#ifndef PODSIM_HOST_STORAGE_HTTP_HTTP_H_
#define PODSIM_HOST_STORAGE_HTTP_HTTP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace podsim {

// Asked about once a second, and for bytes that arrive, while an exchange goes
// on: with the bytes that have moved so far. False ends it.
using HttpWatch = std::function<bool(std::int64_t moved)>;

struct HttpRequest {
  std::string method = "GET";
  std::string url;                   // http:// or https://
  std::vector<std::string> headers;  // "Name: value"
  std::string_view body;             // borrowed until Send returns
  // An answer's body that is longer is not read on.
  std::int64_t most_bytes = std::int64_t{1} << 20;
  // Also to hosts that are not this machine by their names.
  bool without_proxy = false;
  HttpWatch watch = {};  // empty: goes on
  // For all of it.
  absl::Duration within = absl::InfiniteDuration();
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // The header's value; empty: there is none.
  std::string_view Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : found->second;
  }
};

// Thread-safe.
class Http {
 public:
  virtual ~Http() = default;
  // Blocks until the answer is whole. Whatever its status: an answer is one.
  // Redirects are not followed.
  // Errors: UNAVAILABLE (no connection, cut off before its end, slower than
  //   HttpLimits), DEADLINE_EXCEEDED (`within`; no name server answers),
  //   CANCELLED (`watch`), OUT_OF_RANGE (longer than most_bytes),
  //   INVALID_ARGUMENT (not a URL of http or https). Messages name host and
  //   reason, never a header or a password. A host that does not exist and a
  //   certificate that is not trusted are UNAVAILABLE, marked kNever
  //   (failure.h).
  virtual absl::StatusOr<HttpResponse> Send(const HttpRequest& request) = 0;
};

// What bounds every wait.
struct HttpLimits {
  absl::Duration connect = absl::Seconds(10);
  // An exchange with fewer bytes a second, for so long, has stalled.
  std::int64_t least_bytes_per_second = 1024;
  absl::Duration stalled = absl::Seconds(20);
  // All of an exchange: so long, and longer by what moves at this rate.
  absl::Duration grace = absl::Seconds(30);
  std::int64_t slowest_bytes_per_second = std::int64_t{16} << 10;
  // PEM, instead of the system's; empty: the system's.
  std::string certificates;
};

// By libcurl, over connections that are kept; proxies as its variables say.
std::unique_ptr<Http> NewCurlHttp(const HttpLimits& limits);

// "https://host:443" of "https://name:password@host:443/o?token=x": what a
// message may say of a URL.
std::string HostOf(const std::string& url);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_HTTP_HTTP_H_
