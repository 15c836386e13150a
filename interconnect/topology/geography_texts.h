// The files of geography/, compiled in.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_GEOGRAPHY_TEXTS_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_GEOGRAPHY_TEXTS_H_

namespace podsim {

extern const char* const kWorldText;  // a World
extern const char* const kLinksText;  // BucketLinks

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_GEOGRAPHY_TEXTS_H_
