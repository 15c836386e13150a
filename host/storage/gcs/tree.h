// All that lies below a name: listed page by page, and deleted.
#ifndef PODSIM_HOST_STORAGE_GCS_TREE_H_
#define PODSIM_HOST_STORAGE_GCS_TREE_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/objects.h"

namespace podsim {

// Visits all pages of a listing. Errors: those of ListGcs, UNAVAILABLE (it has
// no end, or is too long for this process's memory; nobody waits any longer).
absl::Status EachGcsPage(GcsClient& client, const GcsName& name, bool flat,
                         const std::function<void(const GcsPage&)>& visit);

// Deletes all that lies below it. False: there was nothing. Errors: those of
// ListGcs and DeleteGcs, UNAVAILABLE (the store goes on listing objects).
absl::StatusOr<bool> DeleteGcsTree(GcsClient& client, const GcsName& name);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_TREE_H_
