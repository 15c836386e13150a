// Cloud Storage as an ObjectStore: gs://bucket/object, over its JSON API.
//
//   PODSIM_ASSIGN_OR_RETURN(auto store, NewGcsStore(GcsFromEnvironment()));
//   store->Read("gs://bucket/data/labels");
//
// docs/storage.md has the calls, headers and fields that are used. Directories
// are what names have in common, so that an object may be called like one.
// It cannot rename. After UNAVAILABLE from a write the object is the old one or
// the new one, whole.
#ifndef PODSIM_HOST_STORAGE_GCS_STORE_H_
#define PODSIM_HOST_STORAGE_GCS_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "host/storage/gcs/client.h"
#include "host/storage/http/http.h"
#include "host/storage/storage.h"

namespace podsim {

std::unique_ptr<ObjectStore> NewGcsStore(std::unique_ptr<GcsClient> client);

// How a user's programs reach it, by the variables that Google's own read:
//   STORAGE_EMULATOR_HOST            instead of https://storage.googleapis.com
//   PODSIM_GCS_CREDENTIALS           none, metadata, file:PATH or command:CMD;
//                                    unset, the first of these that there is:
//   GOOGLE_APPLICATION_CREDENTIALS   a key file
//   (an emulator: none)
//   CLOUDSDK_CONFIG or ~/.config/gcloud: application_default_credentials.json
//   GCE_METADATA_HOST                the machine's service account
//   CURL_CA_BUNDLE, SSL_CERT_FILE    certificates to trust instead of the
//                                    system's
// Its waits are the process's (store_waits.h).
// `environment` gives a variable's value, null if it is not set.
// Errors: INVALID_ARGUMENT (a value that is none of these), those of
//   KeyFileTokens.
absl::StatusOr<std::unique_ptr<GcsClient>> GcsClientFor(
    const char* (*environment)(const char*));

// All of it, opened at the first call.
std::unique_ptr<ObjectStore> NewGcsStoreOfEnvironment();

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_STORE_H_
