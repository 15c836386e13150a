#include "runtime/launch/offered_names.h"

#include "host/input/dataset.h"
#include "interconnect/topology/slice.h"
#include "models/zoo/zoo.h"

namespace podsim {

OfferedNames OfferedByFlags() {
  OfferedNames offered = {{"model", ModelNames()}, {"dataset", DatasetNames()}};
  for (const char* flag :
       {"topology", "reference_topology", "describe", "print_compose"})
    offered[flag] = SliceNames();
  return offered;
}

}  // namespace podsim
