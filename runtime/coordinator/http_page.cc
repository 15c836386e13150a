// A door, and one thread that reads, answers and hangs up; see http_page.h.
#include "runtime/coordinator/http_page.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/mutex.h"
#include "base/printable.h"
#include "base/rpc/token.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "runtime/coordinator/door.h"

namespace podsim {

using PageClock = std::chrono::steady_clock;

struct PageCall {
  UniqueFd fd;
  PageClock::time_point end;
  std::string request;
  std::string answer;  // what is left to send; empty: it is still read
};

namespace {

constexpr std::size_t kMostRequestBytes = 8 << 10;
constexpr int kLookMs = 200;  // for calls that last too long
constexpr char kEndOfHeaders[] = "\r\n\r\n";

std::string PageAnswer(const std::string& status, const std::string& type,
                       const std::string& body, const std::string& more = "") {
  return absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Type: ", type,
                      "\r\nContent-Length: ", body.size(), "\r\n", more,
                      "Connection: close\r\n\r\n", body);
}

std::string PageRefusal(const std::string& status, const std::string& why,
                        const std::string& more = "") {
  return PageAnswer(status, "text/plain; charset=utf-8", why + "\n", more);
}

// The values of the headers of that name.
std::vector<std::string> HeadersIn(const std::vector<std::string>& lines,
                                   absl::string_view name) {
  std::vector<std::string> values;
  for (const std::string& line : lines) {
    const std::size_t colon = line.find(':');
    if (colon != line.npos &&
        absl::EqualsIgnoreCase(line.substr(0, colon), name))
      values.emplace_back(absl::StripAsciiWhitespace(
          absl::string_view(line).substr(colon + 1)));
  }
  return values;
}

// What stands behind "Authorization: Bearer "; empty: nothing.
std::string BearerIn(const std::vector<std::string>& lines) {
  for (const std::string& value : HeadersIn(lines, "authorization"))
    if (absl::StartsWithIgnoreCase(value, "bearer "))
      return std::string(absl::StripAsciiWhitespace(value.substr(7)));
  return "";
}

// Whether a Host header ("127.0.0.1:9400", "[::1]", "localhost") names this
// machine, or the address that the page is at.
bool NamesThisMachine(const std::string& value, const Address& page) {
  std::string host = value;
  if (absl::StartsWith(host, "["))
    host = host.substr(1, host.find(']') - 1);
  else
    host = host.substr(0, host.find(':'));
  absl::AsciiStrToLower(&host);
  if (absl::EndsWith(host, ".")) host.pop_back();  // "localhost."
  return host == absl::AsciiStrToLower(page.host) ||
         Address{.path = {}, .host = host}.IsLocal();
}

// A browser says in Host which name it believes the machine to have: a page of
// somebody else's that has its own name point here (DNS rebinding) is told by
// it. Programs that speak HTTP/1.0 may leave it out; no browser does.
std::string WhyNotHere(const std::vector<std::string>& lines, bool http_1_0,
                       const Address& page) {
  const std::vector<std::string> hosts = HeadersIn(lines, "host");
  if (hosts.empty() && !http_1_0) return "the request names no host";
  for (const std::string& host : hosts)
    if (!NamesThisMachine(host, page))
      return absl::StrCat("\"", PrintableLine(host),
                          "\" is not where this page is");
  return hosts.size() > 1 ? "the request names several hosts" : "";
}

// False: it is over.
bool ReadMore(PageCall& call, const HttpPageOptions& options) {
  std::array<char, 4096> piece{};
  const ssize_t count =
      recv(call.fd.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  call.request.append(piece.data(), static_cast<std::size_t>(count));
  if (absl::StrContains(call.request, kEndOfHeaders))
    call.answer = HttpAnswer(call.request, options);
  else if (call.request.size() > kMostRequestBytes)
    call.answer = PageRefusal("431 Request Header Fields Too Large",
                              "a request has 8 KiB at most");
  return true;
}

// False: all is sent, or nobody takes it.
bool SendMore(PageCall& call) {
  const ssize_t count = send(call.fd.get(), call.answer.data(),
                             call.answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  call.answer.erase(0, static_cast<std::size_t>(count));
  return !call.answer.empty();
}

bool Advance(PageCall& call, int events, const HttpPageOptions& options) {
  if (PageClock::now() >= call.end) return false;
  if (events == 0) return true;
  return call.answer.empty() ? ReadMore(call, options) : SendMore(call);
}

}  // namespace

std::string HttpAnswer(std::string_view request,
                       const HttpPageOptions& options) {
  const std::string_view headers =
      request.substr(0, request.find(kEndOfHeaders));
  const std::vector<std::string> lines =
      absl::StrSplit(absl::string_view(headers.data(), headers.size()), "\r\n");
  const std::vector<std::string> words = absl::StrSplit(lines[0], ' ');
  if (words.size() != 3 || !absl::StartsWith(words[2], "HTTP/1."))
    return PageRefusal("400 Bad Request", "this is no HTTP/1 request");
  if (words[0] != "GET")
    return PageRefusal("405 Method Not Allowed", "only GET is answered",
                       "Allow: GET\r\n");
  if (words[1].substr(0, words[1].find('?')) != options.path)
    return PageRefusal("404 Not Found", "the page is " + options.path);
  if (options.token.empty()) {
    const std::string why =
        WhyNotHere(lines, words[2] == "HTTP/1.0", options.address);
    if (!why.empty())
      return PageRefusal(
          "403 Forbidden",
          why +
              ": ask for it as localhost, 127.0.0.1 or [::1], on this "
              "machine");
  }
  if (!options.token.empty() && !TokensEqual(BearerIn(lines), options.token))
    return PageRefusal(
        "401 Unauthorized",
        "the request needs the pod's token: Authorization: Bearer "
        "$PODSIM_TOKEN",
        "WWW-Authenticate: Bearer\r\n");
  return PageAnswer("200 OK", options.type, options.make());
}

struct HttpPage::Impl {
  void Loop();
  void TakeIn();

  HttpPageOptions options;
  UniqueFd wake;  // readable: somebody has called, or it is over
  Mutex mutex;
  std::vector<UniqueFd> callers PODSIM_GUARDED_BY(mutex);
  bool over PODSIM_GUARDED_BY(mutex) = false;
  std::vector<PageCall> calls;  // the loop's
  std::jthread loop;
  std::unique_ptr<Door> door;  // last: calls stop first
};

void HttpPage::Impl::TakeIn() {
  eventfd_t count = 0;
  eventfd_read(wake.get(), &count);
  MutexLock lock(mutex);
  for (UniqueFd& fd : callers)
    calls.push_back({.fd = std::move(fd),
                     .end = PageClock::now() + options.patience,
                     .request = {},
                     .answer = {}});
  callers.clear();
}

void HttpPage::Impl::Loop() {
  for (;;) {
    {
      MutexLock lock(mutex);
      if (over) return;
    }
    std::vector<pollfd> waits = {
        {.fd = wake.get(), .events = POLLIN, .revents = 0}};
    for (const PageCall& call : calls)
      waits.push_back(
          {.fd = call.fd.get(),
           .events = static_cast<short>(call.answer.empty() ? POLLIN : POLLOUT),
           .revents = 0});
    poll(waits.data(), waits.size(), calls.empty() ? -1 : kLookMs);
    std::vector<PageCall> still;
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (Advance(calls[i], waits[i + 1].revents, options))
        still.push_back(std::move(calls[i]));
    calls = std::move(still);
    if (waits[0].revents != 0) TakeIn();
    // The newest are hung up on: who came before is being answered.
    if (calls.size() > kMostPageReaders)
      calls.erase(calls.begin() + kMostPageReaders, calls.end());
  }
}

HttpPage::HttpPage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<HttpPage>> HttpPage::Serve(
    HttpPageOptions options) {
  auto impl = std::make_unique<Impl>();
  PODSIM_ASSIGN_OR_RETURN(
      impl->door,
      Door::Open(
          options.address, [](const std::string&) {}, kReadersShare));
  impl->options = std::move(options);
  impl->wake = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!impl->wake.valid()) return absl::ErrnoToStatus(errno, "eventfd");
  Impl& shared = *impl;
  impl->loop = std::jthread([&shared] { shared.Loop(); });
  impl->door->Serve([&shared](int, int fd) {
    MutexLock lock(shared.mutex);
    UniqueFd connection(fd);
    if (shared.callers.size() >= kMostPageReaders) return;
    shared.callers.push_back(std::move(connection));
    eventfd_write(shared.wake.get(), 1);
  });
  return std::unique_ptr<HttpPage>(new HttpPage(std::move(impl)));
}

HttpPage::~HttpPage() {
  impl_->door.reset();
  {
    MutexLock lock(impl_->mutex);
    impl_->over = true;
    eventfd_write(impl_->wake.get(), 1);
  }
  impl_->loop.join();
}

int HttpPage::port() const { return impl_->door->port(); }

}  // namespace podsim
