// What a collective waits for, for people and for finding the culprit.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_WAITING_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_WAITING_H_

#include <string>

#include "absl/time/time.h"

namespace podsim {

struct Waiting {
  int host = -1;     // the host whose frame or credit is missing; -1: none
  std::string what;  // "host 2 has not sent chunk 5 of all-reduce #412 (...)"
  absl::Duration since;  // nothing has moved for so long
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_WAITING_H_
