// One page over HTTP, for whoever scrapes it: GET of one path and nothing else.
// However many call, and whatever they say or do not say, it takes no more than
// kMostPageReaders connections, 8 KiB and five seconds of each. Own code, as
// Debian's servers come as shared C++ libraries, or with TLS that is not wanted
// here, or without a limit of connections.
//
//   PODSIM_ASSIGN_OR_RETURN(auto page, HttpPage::Serve({
//       .address = *ParseAddress("127.0.0.1:9400"), .path = "/metrics",
//       .type = kPrometheusType, .make = [] { return Text(); }}));
#ifndef PODSIM_RUNTIME_COORDINATOR_HTTP_PAGE_H_
#define PODSIM_RUNTIME_COORDINATOR_HTTP_PAGE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/rpc/address.h"

namespace podsim {

inline constexpr int kMostPageReaders = 16;

struct HttpPageOptions {
  Address address;  // of TCP; port 0: any free
  std::string path = "/metrics";
  std::string type;  // "text/plain"
  // The page, now. From the page's thread.
  std::function<std::string()> make;
  // What a call may take, from its connection to its end.
  std::chrono::milliseconds patience = std::chrono::seconds(5);
  // Not empty: a request must say "Authorization: Bearer <this>". Empty: its
  // Host must name this machine's loopback, or `address`, which no web page of
  // another's can have a browser say.
  std::string token;
};

// The answer to a request whose headers are all there. Pure but for `make`.
std::string HttpAnswer(std::string_view request,
                       const HttpPageOptions& options);

class HttpPage {
 public:
  // Errors: those of Door::Open.
  static absl::StatusOr<std::unique_ptr<HttpPage>> Serve(
      HttpPageOptions options);
  ~HttpPage();  // hangs up, then joins
  HttpPage(const HttpPage&) = delete;
  HttpPage& operator=(const HttpPage&) = delete;

  int port() const;

 private:
  struct Impl;
  explicit HttpPage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_HTTP_PAGE_H_
