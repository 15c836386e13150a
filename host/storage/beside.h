// What lies where something was looked for, for the end of an error that says
// that it is not there.
#ifndef PODSIM_HOST_STORAGE_BESIDE_H_
#define PODSIM_HOST_STORAGE_BESIDE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/storage/storage.h"

namespace podsim {

// What the path should be: others are not offered in its place.
enum class Wanted : std::uint8_t { kAny, kFile, kFolder };

// Of a path of this machine that nothing has: "; did you mean data/train.csv?",
// if names beside it are near to its own, else what its folder holds, "; data
// holds a.csv, b/ and 3 more"; where the folder is missing too, "; there is no
// folder dta either; did you mean data?". A path that ends with a slash is a
// folder. Empty: it would lie in the root, or lies in a bucket.
std::string BesideText(ObjectStore& store, const std::string& path,
                       Wanted wanted = Wanted::kAny);

// Of a folder's names, as ObjectStore::List gives them: "; it holds a.csv, b/
// and 3 more", without hidden ones, or "; it is empty".
std::string HoldsText(const std::vector<std::string>& names);

// The same of a folder; if there is none, what lies beside it; empty: it cannot
// be listed.
std::string HoldsText(ObjectStore& store, const std::string& folder);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_BESIDE_H_
