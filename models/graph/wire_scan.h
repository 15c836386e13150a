// Walks a message's bytes before they are parsed: what protobuf would allocate
// for them is known then, and a small file cannot ask for gigabytes.
#ifndef PODSIM_MODELS_GRAPH_WIRE_SCAN_H_
#define PODSIM_MODELS_GRAPH_WIRE_SCAN_H_

#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace podsim {

struct WireLimits {
  std::int64_t messages = 0;  // with those inside of them
  std::int64_t numbers = 0;   // of lists
  // Fields that the message does not have count as parts and are passed over.
  bool passes_unknown = false;
};

// Errors: INVALID_ARGUMENT (bytes that are no such message, a field that it
//   does not have, more than the limits, messages more than 100 deep), naming
//   message and field.
absl::Status ScanWire(std::string_view bytes,
                      const google::protobuf::Descriptor& message,
                      const WireLimits& limits);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_WIRE_SCAN_H_
