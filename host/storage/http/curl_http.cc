#include <curl/curl.h>
#include <netdb.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/storage/http/failure.h"
#include "host/storage/http/http.h"

namespace podsim {
namespace {

struct HandleCloser {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, HandleCloser>;

struct ListFreer {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListFreer>;

using SteadyClock = std::chrono::steady_clock;

// A name server that says no does so at once; what takes longer had no answer.
constexpr absl::Duration kQuickNo = absl::Milliseconds(1500);

// What the callbacks of one exchange fill.
struct Answer {
  const HttpRequest& request;
  const HttpLimits& limits;
  SteadyClock::time_point began = SteadyClock::now();
  HttpResponse response = {};
  bool too_long = false;
  bool too_slow = false;
  bool ended = false;  // by request.watch
  std::array<char, CURL_ERROR_SIZE> error = {};

  absl::Duration taken() const {
    return absl::FromChrono(SteadyClock::now() - began);
  }
};

std::size_t TakeBody(char* data, std::size_t, std::size_t bytes, void* to) {
  auto& answer = *static_cast<Answer*>(to);
  std::string& body = answer.response.body;
  if (body.size() + bytes >
      static_cast<std::size_t>(answer.request.most_bytes)) {
    answer.too_long = true;
    return 0;  // ends the exchange
  }
  body.append(data, bytes);
  return bytes;
}

// Not 0: ends the exchange.
int TakeProgress(void* to, curl_off_t, curl_off_t down, curl_off_t,
                 curl_off_t up) {
  auto& answer = *static_cast<Answer*>(to);
  const std::int64_t moved = down + up;
  const double due =
      absl::ToDoubleSeconds(answer.taken() - answer.limits.grace) *
      static_cast<double>(answer.limits.slowest_bytes_per_second);
  answer.too_slow = static_cast<double>(moved) < due;
  answer.ended = answer.request.watch && !answer.request.watch(moved);
  return answer.too_slow || answer.ended ? 1 : 0;
}

std::size_t TakeHeader(char* data, std::size_t, std::size_t bytes, void* to) {
  auto& headers = static_cast<Answer*>(to)->response.headers;
  const std::string line(data, bytes);
  // A status line begins an answer: what an interim one said is past.
  if (line.rfind("HTTP/", 0) == 0) headers.clear();
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return bytes;
  std::string& value = headers[absl::AsciiStrToLower(line.substr(0, colon))];
  // Several of one name are one list (RFC 9110, section 5.3).
  absl::StrAppend(&value, value.empty() ? "" : ",",
                  absl::StripAsciiWhitespace(line.substr(colon + 1)));
  return bytes;
}

HeaderList ListOf(const std::vector<std::string>& headers) {
  HeaderList list;
  const auto add = [&](const std::string& header) {
    curl_slist* const longer = curl_slist_append(list.get(), header.c_str());
    PODSIM_CHECK(longer != nullptr);
    if (list == nullptr) list.reset(longer);
  };
  bool typed = false;
  for (const std::string& header : headers) {
    add(header);
    typed = typed || header.rfind("Content-Type:", 0) == 0;
  }
  if (!typed) add("Content-Type:");  // or libcurl calls it a form
  add("Expect:");  // or a body waits a second for leave to be sent
  return list;
}

// Whether the name servers say so, rather than nothing.
bool HasNoAddress(const std::string& host) {
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (code == 0) freeaddrinfo(found);
  return code == EAI_NONAME || code == EAI_NODATA;
}

// "host" of "https://host:443", in lower case.
std::string NameIn(const std::string& host_of_url) {
  const std::string host = host_of_url.substr(host_of_url.find("://") + 3);
  const std::size_t end = host[0] == '[' ? host.find(']') + 1 : host.find(':');
  return absl::AsciiStrToLower(host.substr(0, end));
}

// By its own name or address, or the metadata server's, which the machine that
// runs this one answers.
bool IsOfThisMachine(const std::string& url) {
  const std::string host = NameIn(HostOf(url));
  const bool numbers = host.find_first_not_of("0123456789.") == host.npos;
  return host == "localhost" || host == "[::1]" ||
         (numbers && absl::StartsWith(host, "127.")) ||
         host == "metadata.google.internal" || host == "169.254.169.254";
}

class CurlHttp final : public Http {
 public:
  explicit CurlHttp(const HttpLimits& limits) : limits_(limits) {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  }

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    Handle handle = Take();
    if (handle == nullptr)
      return absl::ResourceExhaustedError("no memory for an HTTP connection");
    Answer answer{.request = request, .limits = limits_};
    const HeaderList headers = ListOf(request.headers);
    SetUp(handle.get(), request, headers.get(), answer);
    const CURLcode code = curl_easy_perform(handle.get());
    long status = 0;
    curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
    answer.response.status = static_cast<int>(status);
    curl_easy_reset(handle.get());  // `answer` goes; connections stay
    Give(std::move(handle));
    PODSIM_RETURN_IF_ERROR(StatusOf(code, request, answer));
    return std::move(answer.response);
  }

 private:
  absl::Status StatusOf(CURLcode code, const HttpRequest& request,
                        const Answer& answer) const {
    const std::string host = HostOf(request.url);
    if (answer.too_long)
      return absl::OutOfRangeError(absl::StrCat(
          host, ": an answer of more than ", request.most_bytes, " bytes"));
    switch (code) {
      case CURLE_OK:
        return absl::OkStatus();
      case CURLE_URL_MALFORMAT:
      case CURLE_UNSUPPORTED_PROTOCOL:
        return absl::InvalidArgumentError(
            absl::StrCat(host, ": ", curl_easy_strerror(code)));
      case CURLE_COULDNT_RESOLVE_HOST:
        return NoAddress(host, answer);
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
        return NotTrusted(host, answer);
      case CURLE_OPERATION_TIMEDOUT:
        return TooLate(host, request, answer);
      case CURLE_ABORTED_BY_CALLBACK:
        return answer.too_slow
                   ? absl::UnavailableError(absl::StrCat(
                         host, ": fewer than ",
                         limits_.slowest_bytes_per_second, " bytes a second"))
                   : absl::CancelledError(host + ": not waited for any longer");
      default:
        return absl::UnavailableError(
            absl::StrCat(host, ": ", curl_easy_strerror(code)));
    }
  }

  absl::Status NoAddress(const std::string& host, const Answer& answer) const {
    if (answer.taken() < kQuickNo && HasNoAddress(NameIn(host)))
      return MarkMending(
          absl::UnavailableError(host + ": there is no host of this name"),
          Mending::kNever);
    return absl::DeadlineExceededError(host +
                                       ": no name server says its address");
  }

  absl::Status NotTrusted(const std::string& host, const Answer& answer) const {
    return MarkMending(
        absl::UnavailableError(absl::StrCat(
            host, ": ", answer.error.data(),
            "; trusted are the certificates of ",
            limits_.certificates.empty() ? "this system"
                                         : limits_.certificates.c_str(),
            " (CURL_CA_BUNDLE or SSL_CERT_FILE names others)")),
        Mending::kNever);
  }

  absl::Status TooLate(const std::string& host, const HttpRequest& request,
                       const Answer& answer) const {
    if (answer.taken() >= request.within)
      return absl::DeadlineExceededError(absl::StrCat(
          host, ": no answer within ", absl::FormatDuration(request.within)));
    return absl::UnavailableError(absl::StrCat(
        host, ": no connection within ", absl::FormatDuration(limits_.connect),
        ", or fewer than ", limits_.least_bytes_per_second,
        " bytes a second for ", absl::FormatDuration(limits_.stalled)));
  }

  void SetUp(CURL* handle, const HttpRequest& request, curl_slist* headers,
             Answer& answer) const {
    const auto set = [handle](CURLoption option, auto value) {
      PODSIM_CHECK(curl_easy_setopt(handle, option, value) == CURLE_OK);
    };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_NOSIGNAL, 1L);
    // A proxy would see what is meant for this machine: tokens, in the clear.
    if (request.without_proxy || IsOfThisMachine(request.url))
      set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_CONNECTTIMEOUT_MS, absl::ToInt64Milliseconds(limits_.connect));
    set(CURLOPT_LOW_SPEED_LIMIT,
        static_cast<long>(limits_.least_bytes_per_second));
    set(CURLOPT_LOW_SPEED_TIME,
        static_cast<long>(absl::ToInt64Seconds(limits_.stalled)));
    if (request.within != absl::InfiniteDuration())
      set(CURLOPT_TIMEOUT_MS, absl::ToInt64Milliseconds(request.within));
    if (!limits_.certificates.empty())
      set(CURLOPT_CAINFO, limits_.certificates.c_str());
    set(CURLOPT_ERRORBUFFER, answer.error.data());
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &TakeProgress);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(&answer));
    // A name that is still being looked up is not waited for.
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_WRITEFUNCTION, &TakeBody);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&answer));
    set(CURLOPT_HEADERFUNCTION, &TakeHeader);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&answer));
    if (request.method != "GET") {
      set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
      set(CURLOPT_POSTFIELDSIZE_LARGE,
          static_cast<curl_off_t>(request.body.size()));
      // Without one, libcurl would read standard input.
      set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    }
  }

  Handle Take() {
    MutexLock lock(mutex_);
    if (idle_.empty()) return Handle(curl_easy_init());
    Handle handle = std::move(idle_.back());
    idle_.pop_back();
    return handle;
  }
  void Give(Handle handle) {
    MutexLock lock(mutex_);
    idle_.push_back(std::move(handle));
  }

  const HttpLimits limits_;
  Mutex mutex_;
  std::vector<Handle> idle_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace

std::string HostOf(const std::string& url) {
  constexpr std::string_view kAfterScheme = "://";
  std::size_t begin = url.find(kAfterScheme);
  if (begin == std::string::npos) return "?";
  begin += kAfterScheme.size();
  const std::string scheme = url.substr(0, begin);
  const std::string host =
      url.substr(begin, url.find_first_of("/?#", begin) - begin);
  const std::size_t user = host.rfind('@');
  return scheme + (user == std::string::npos ? host : host.substr(user + 1));
}

std::unique_ptr<Http> NewCurlHttp(const HttpLimits& limits) {
  return std::make_unique<CurlHttp>(limits);
}

}  // namespace podsim
