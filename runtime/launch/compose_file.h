// A slice as containers: the compose file of a coordinator and one service per
// host. Pure.
//
//   pod_launch --print_compose v3-64 > docker/v3-64.yaml
//
// docker/compose.yaml is what this prints for v3-32.
#ifndef PODSIM_RUNTIME_LAUNCH_COMPOSE_FILE_H_
#define PODSIM_RUNTIME_LAUNCH_COMPOSE_FILE_H_

#include <string>

#include "interconnect/topology/slice.h"

namespace podsim {

// The whole file, for docker/; elsewhere $PODSIM_SOURCE says where the sources
// are that the image is built from. The containers run as no user of the
// machine, with a root file system that cannot be written and no capability;
// compose refuses to start them without $PODSIM_TOKEN.
std::string ComposeFile(const Slice& slice);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_COMPOSE_FILE_H_
