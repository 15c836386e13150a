// Where a secret may be sent. Pure.
#ifndef PODSIM_HOST_STORAGE_GCS_SAFE_URL_H_
#define PODSIM_HOST_STORAGE_GCS_SAFE_URL_H_

#include <string_view>

namespace podsim {

// Encrypted (https://), or to this machine itself (http:// and localhost,
// 127.x.x.x or [::1]).
bool MayCarrySecret(std::string_view url);

// Both have the same scheme, host and port, as they are written.
bool SameOrigin(std::string_view a, std::string_view b);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_SAFE_URL_H_
