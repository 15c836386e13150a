// Making, finding and comparing tokens.
#include "base/rpc/token.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {
constexpr std::size_t kTokenBytes = 16;
// What somebody chose: of hexadecimal digits 64 bits, too many to be tried over
// a network.
constexpr std::size_t kMinChosenLength = 16;
constexpr std::size_t kMaxTokenLength = 256;
}  // namespace

absl::StatusOr<std::string> GenerateToken() {
  std::string bytes(kTokenBytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const auto got =
        getrandom(bytes.data() + filled, bytes.size() - filled, /*flags=*/0);
    if (got < 0 && errno != EINTR) {
      return absl::UnavailableError(
          absl::StrCat("getrandom: ", std::strerror(errno)));
    }
    filled += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  return absl::BytesToHexString(bytes);
}

absl::Status CheckTokenShape(std::string_view token) {
  if (token.empty() || token.size() > kMaxTokenLength ||
      !std::all_of(token.begin(), token.end(), absl::ascii_isgraph)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the pod's token (", token.size(), " characters) must be 1 to ",
        kMaxTokenLength,
        " printable ASCII characters without blanks, for example from: "
        "openssl rand -hex ",
        kTokenBytes));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TokenFromEnvironment() {
  const char* value = std::getenv(kTokenVariable);
  if (value == nullptr || *value == '\0') {
    return absl::FailedPreconditionError(absl::StrCat(
        kTokenVariable,
        " is not set; every process of a pod needs the same token there, for "
        "example from: export ",
        kTokenVariable, "=$(openssl rand -hex ", kTokenBytes, ")"));
  }
  PODSIM_RETURN_IF_ERROR(Annotate(CheckTokenShape(value), kTokenVariable));
  std::string token = value;
  if (token.size() < kMinChosenLength) {
    return absl::InvalidArgumentError(absl::StrCat(
        kTokenVariable, " has ", token.size(), " characters, too few for a ",
        "secret; give ", kMinChosenLength,
        " or more, for example from: export ", kTokenVariable,
        "=$(openssl rand -hex ", kTokenBytes, ")"));
  }
  return token;
}

bool TokensEqual(std::string_view a, std::string_view b) {
  return !a.empty() && a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace podsim
