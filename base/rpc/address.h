// Where a server listens or a client dials: "unix:/path" or "host:port".
// Pure functions, no gRPC.
//
//   PODSIM_ASSIGN_OR_RETURN(Address address, ParseAddress("127.0.0.1:0"));
//   if (!address.IsLocal()) ...
#ifndef PODSIM_BASE_RPC_ADDRESS_H_
#define PODSIM_BASE_RPC_ADDRESS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

// The longest path of a Unix socket: sockaddr_un holds 108 bytes, one of which
// is the terminating NUL.
inline constexpr std::size_t kMaxUnixPath = 107;

struct Address {
  std::string path;  // of a Unix socket; empty for TCP
  std::string host;  // name or numeric, without brackets
  int port = 0;      // 0: any free one (listening only)

  bool is_unix() const { return !path.empty(); }
  // True where nothing leaves the machine: Unix sockets, 127.0.0.0/8, ::1 and
  // the name localhost. 0.0.0.0 and :: listen to the network, so they are not.
  bool IsLocal() const;
  // "unix:/path", "host:port" or "[v6]:port": what ParseAddress reads.
  std::string ToString() const;
  // The same as gRPC wants it, which decodes "%41" in paths.
  std::string Target() const;

  bool operator==(const Address&) const = default;
};

// Errors: INVALID_ARGUMENT (neither form; relative or too long Unix path; port
//   outside 0 ... 65535).
absl::StatusOr<Address> ParseAddress(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_BASE_RPC_ADDRESS_H_
