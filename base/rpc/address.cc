// Parsing by hand: two forms, every refusal says which part is wrong.
#include "base/rpc/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

static_assert(kMaxUnixPath + 1 == sizeof(sockaddr_un::sun_path));

constexpr char kUnixPrefix[] = "unix:";
constexpr std::size_t kUnixPrefixLength = sizeof(kUnixPrefix) - 1;

absl::Status Bad(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("address \"", text, "\": ", why,
                   "; give unix:/absolute/path, host:port or [IPv6]:port"));
}

absl::StatusOr<Address> ParseUnix(const std::string& text) {
  Address address;
  address.path = text.substr(kUnixPrefixLength);
  if (!absl::StartsWith(address.path, "/")) {
    return Bad(text, "the path of a Unix socket must be absolute");
  }
  if (address.path.size() > kMaxUnixPath) {
    return Bad(text,
               absl::StrCat("the path has ", address.path.size(),
                            " bytes, a Unix socket's may have ", kMaxUnixPath,
                            " (choose a shorter directory, TMPDIR)"));
  }
  if (address.path.find('\0') != std::string::npos) {
    return Bad(text, "the path holds a NUL byte");
  }
  return address;
}

bool IsHostName(const std::string& host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_';
  });
}

bool IsIpv6(const std::string& host) {
  in6_addr parsed;
  return inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

// What such a text lacks, as ", as in ...".
std::string WithPort(const std::string& host) {
  return IsHostName(host) ? absl::StrCat(", as in ", host, ":8476") : "";
}

// Why `host` is none, of "::1:8476" and "tcp://10.0.0.1:8476" too.
std::string WhyNoHost(const std::string& text, const std::string& host) {
  const std::size_t scheme = text.find("://");
  if (scheme != std::string::npos)
    return absl::StrCat("\"", text.substr(0, scheme + 3),
                        "\" does not belong there, as in ",
                        text.substr(scheme + 3));
  if (IsIpv6(host))
    return absl::StrCat("an IPv6 number stands in brackets, as in [", host, "]",
                        text.substr(text.rfind(':')));
  return absl::StrCat("\"", host, "\" is no host name or number");
}

}  // namespace

bool Address::IsLocal() const {
  if (is_unix() || host == "localhost") return true;
  // Numeric forms only: "127.0.0.1.example.com" is somebody else's machine.
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  in6_addr v6;
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 &&
         IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string Address::ToString() const {
  if (is_unix()) return absl::StrCat(kUnixPrefix, path);
  if (absl::StrContains(host, ':')) {
    return absl::StrCat("[", host, "]:", port);
  }
  return absl::StrCat(host, ":", port);
}

std::string Address::Target() const {
  if (!is_unix()) return ToString();
  std::string target = kUnixPrefix;
  for (const char c : path) {
    if (absl::ascii_isalnum(c) || absl::StrContains("/-._~", c)) {
      target += c;
    } else {
      absl::StrAppend(&target, "%",
                      absl::BytesToHexString(absl::string_view(&c, 1)));
    }
  }
  return target;
}

absl::StatusOr<Address> ParseAddress(std::string_view given) {
  const std::string text(given);
  if (absl::StartsWith(text, kUnixPrefix)) return ParseUnix(text);
  const std::size_t colon = text.rfind(':');
  if (absl::StartsWith(text, "/"))
    return absl::InvalidArgumentError(absl::StrCat(
        "address \"", text, "\" is a path; for a Unix socket give ",
        kUnixPrefix, text));
  if (text.empty()) return Bad(text, "it is empty");
  if (colon == std::string::npos)
    return Bad(text, std::all_of(text.begin(), text.end(), absl::ascii_isdigit)
                         ? absl::StrCat("has no host, as in 127.0.0.1:", text)
                         : absl::StrCat("has no port", WithPort(text)));
  Address address;
  address.host = text.substr(0, colon);
  const bool brackets = absl::StartsWith(address.host, "[");
  if (brackets) {
    if (!absl::EndsWith(address.host, "]")) {
      return Bad(text, "\"[\" without \"]\"");
    }
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (brackets ? !IsIpv6(address.host) : !IsHostName(address.host)) {
    return Bad(text, WhyNoHost(text, address.host));
  }
  const std::string port = text.substr(colon + 1);
  // Digits only: SimpleAtoi also takes blanks and signs.
  if (port.empty() || port.size() > 5 ||
      !std::all_of(port.begin(), port.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(port, &address.port) || address.port > 65535) {
    return Bad(text, absl::StrCat("port \"", port, "\" is not 0 ... 65535"));
  }
  return address;
}

}  // namespace podsim
