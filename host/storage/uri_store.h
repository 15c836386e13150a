// Stores by URI: one table of schemes, and everything that opens data goes
// through it. A store more is a file and a line in the table (uri_store.cc).
//
//   const std::unique_ptr<ObjectStore> store = NewUriStore();
//   store->Read("runs/a/100/manifest.json");
//
// A path without a scheme is a file of this machine, gs:// is Cloud Storage,
// and any other scheme is refused by name rather than made a directory called
// so.
#ifndef PODSIM_HOST_STORAGE_URI_STORE_H_
#define PODSIM_HOST_STORAGE_URI_STORE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "host/storage/storage.h"

namespace podsim {

// "gs" of "gs://bucket/x", in lower case; empty: a plain path. A scheme is a
// letter and at least one more letter, digit, '+', '-' or '.', then ":/".
std::string SchemeOf(std::string_view uri);

// A store serves `uri`. Pure.
// Errors: INVALID_ARGUMENT, naming the scheme and what is served.
absl::Status CheckServed(std::string_view uri);

// `path` is one of this machine's, as for what only files can be (logs).
// Pure. Errors: INVALID_ARGUMENT, naming the scheme.
absl::Status CheckPlainPath(std::string_view path);

// All stores behind one; a call goes to the store of its path's scheme.
// Thread-safe. Errors of its calls: CheckServed's, the store's;
// INVALID_ARGUMENT (Rename from one store to another).
std::unique_ptr<ObjectStore> NewUriStore();

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_URI_STORE_H_
