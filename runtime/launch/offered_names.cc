#include "runtime/launch/offered_names.h"

#include "host/input/dataset.h"
#include "interconnect/topology/bucket_location.h"
#include "interconnect/topology/slice.h"
#include "interconnect/topology/zones.h"
#include "models/zoo/zoo.h"

namespace podsim {

OfferedNames OfferedByFlags() {
  OfferedNames offered = {{"model", ModelNames()},
                          {"dataset", DatasetNames()},
                          {"zone", ZoneNames()},
                          {"bucket_location", LocationNames()}};
  for (const char* flag :
       {"topology", "reference_topology", "describe", "print_compose"})
    offered[flag] = SliceNames();
  return offered;
}

}  // namespace podsim
