// How whoever wants to watch a job of this machine finds it: pod_launch says in
// its private directory where its coordinator listens, and with which token.
// Only the user whose job it is can read that; nothing is written to model_dir.
#ifndef PODSIM_RUNTIME_POD_WATCH_PLACE_H_
#define PODSIM_RUNTIME_POD_WATCH_PLACE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/watch.pb.h"

namespace podsim {

// "/a/b" of "b/", as seen from the working directory, links followed; what has
// a scheme ("gs://a/b/") only loses its last slashes.
std::string WholeModelDir(const std::string& model_dir);

// Writes the file in `private_dir`, in place of one that is there: whoever
// reads finds the old one or the new one. Errors: as of the file system.
absl::Status WriteWatchPlace(const std::string& private_dir,
                             const WatchPlace& place);

// Of all jobs of `user` that run: looks for private directories in `parents`.
// Directories of other users, and those that nobody holds (PrivateDir), as the
// launcher was killed, are passed over.
std::vector<WatchPlace> FindWatchPlaces(const std::vector<std::string>& parents,
                                        uid_t user);
// Of whoever started this program, by sudo or not, in all places where their
// jobs may be.
std::vector<WatchPlace> FindOwnWatchPlaces();

// The job in `model_dir`, or that of pod_launch's process `pid`; where neither
// is given (empty, 0), the only one. Pure.
// Errors: NOT_FOUND (none), FAILED_PRECONDITION (several; lists them), one
// line.
absl::StatusOr<WatchPlace> ChooseWatchPlace(
    const std::vector<WatchPlace>& places, const std::string& model_dir,
    std::int64_t pid = 0);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_WATCH_PLACE_H_
