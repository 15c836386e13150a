#include "host/storage/gcs/safe_url.h"

#include <cstddef>
#include <string>

namespace podsim {
namespace {

constexpr std::string_view kPlain = "http://";
constexpr std::string_view kSecure = "https://";

bool StartsWith(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// "http://host:80" of "http://host:80/x?y".
std::string_view OriginOf(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  return url.substr(0, url.find_first_of("/?#", begin + 3));
}

// Only digits and dots after "127.": no name that begins so.
bool IsLoopbackAddress(std::string_view host) {
  return StartsWith(host, "127.") &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

bool MayCarrySecret(std::string_view url) {
  if (StartsWith(url, kSecure)) return true;
  if (!StartsWith(url, kPlain)) return false;
  std::string_view host = OriginOf(url).substr(kPlain.size());
  if (host.find('@') != std::string_view::npos) return false;  // a user's name
  const std::size_t bracket = host.find(']');
  const std::size_t colon =
      host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  host = host.substr(0, colon);
  return host == "localhost" || host == "[::1]" || IsLoopbackAddress(host);
}

bool SameOrigin(std::string_view a, std::string_view b) {
  return !OriginOf(a).empty() && OriginOf(a) == OriginOf(b);
}

}  // namespace podsim
