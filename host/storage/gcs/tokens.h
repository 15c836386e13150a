// Where the token of a call comes from. No message of these names one.
#ifndef PODSIM_HOST_STORAGE_GCS_TOKENS_H_
#define PODSIM_HOST_STORAGE_GCS_TOKENS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/http/http.h"

namespace podsim {

// Thread-safe, as far as its maker is.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  // A fresh one; an empty one: calls are made without. Blocks as long as
  // `watch` lets it (http.h).
  // Errors: UNAVAILABLE (may come later), UNAUTHENTICATED (what to mend),
  //   those of Http.
  virtual absl::StatusOr<GcsToken> Fetch(const HttpWatch& watch) = 0;
  // What it comes from, for messages.
  virtual std::string name() const = 0;
};

// For public buckets, and emulators.
std::unique_ptr<TokenSource> NoTokens();
// The file's first line, read anew each time: whoever keeps it renews it.
std::unique_ptr<TokenSource> FileTokens(std::string path);
// What `command` prints, by /bin/sh, within 30 s: gcloud auth
// print-access-token.
std::unique_ptr<TokenSource> CommandTokens(std::string command);
// Of the machine's service account, from the metadata server at `host`
// (https://cloud.google.com/compute/docs/access/authenticate-workloads).
// `http` is borrowed by these three and must outlive them.
// `sought`: where else credentials were looked for, ends the error of a machine
// that has no such server.
std::unique_ptr<TokenSource> MetadataTokens(Http* http, const std::string& host,
                                            const std::string& sought);
// By a key file of a service account (RFC 7523: a JWT signed with RS256 is
// exchanged at its token_uri), or what gcloud auth application-default login
// wrote (a refresh token). `now` is the wall time, which the signature states.
// Errors: NOT_FOUND, UNAUTHENTICATED (unreadable: what is wrong).
absl::StatusOr<std::unique_ptr<TokenSource>> KeyFileTokens(
    Http* http, const std::string& path, absl::Time (*now)());

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_TOKENS_H_
