// A small Cloud Storage in memory: what podsim and Google's Python client use
// of the JSON API, with generations, preconditions, resumable uploads, pages
// and checksums. One object of it answers requests; over a socket,
// gcs_server.h.
#ifndef PODSIM_TESTS_TESTING_GCS_GCS_DOUBLE_H_
#define PODSIM_TESTS_TESTING_GCS_GCS_DOUBLE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "host/storage/http/http.h"
#include "nlohmann/json.hpp"
#include "tests/testing/gcs/api_call.h"

namespace podsim::testing {

struct GcsDoubleOptions {
  std::string endpoint = "http://127.0.0.1:1";  // of sessions
  std::string token;  // that calls must bring; empty: none
  int page = 1000;    // names a page, at most
  // A session takes so many bytes of a piece at most, whole 256 KiB of them.
  std::int64_t most_of_a_piece = std::int64_t{1} << 40;
};

// Thread-safe. Buckets are there when they are made.
class GcsDouble {
 public:
  explicit GcsDouble(GcsDoubleOptions options = {})
      : options_(std::move(options)) {}

  void MakeBucket(const std::string& bucket, const std::string& location);
  HttpResponse Handle(const HttpRequest& request);

  // Behind the API's back.
  std::optional<std::string> Bytes(const std::string& bucket,
                                   const std::string& object);
  void Put(const std::string& bucket, const std::string& object,
           std::string bytes);
  std::vector<std::string> Names(const std::string& bucket);
  // Listings show what there was when this was called, until it is undone.
  void StopListings(bool stopped);
  // Whoever wants to delete is told 403.
  void RefuseDeletions();
  void set_token(const std::string& token);
  // All that was asked since the last call; the first begins the log.
  std::vector<Asked> TakeAsked();

 private:
  struct Object {
    std::string bytes;
    std::int64_t generation = 0;
    std::string type;
  };
  using Objects = std::map<std::string, Object>;
  struct Bucket {
    std::string location;
    Objects objects;
    std::optional<Objects> listed;  // instead, while listings stand still
  };
  struct Session {
    std::string bucket;
    std::string object;
    std::string type;
    std::string condition;  // ifGenerationMatch
    std::optional<std::string> crc32c;
    std::string bytes;
    bool done = false;
  };

  HttpResponse Route(const ApiCall& call) PODSIM_REQUIRES(mutex_);
  HttpResponse OnObject(const ApiCall& call, Bucket& bucket)
      PODSIM_REQUIRES(mutex_);
  HttpResponse Rewrite(const ApiCall& call, Bucket& bucket)
      PODSIM_REQUIRES(mutex_);
  HttpResponse Media(const ApiCall& call, const Object& object);
  HttpResponse List(const ApiCall& call, const Bucket& bucket)
      PODSIM_REQUIRES(mutex_);
  HttpResponse Upload(const ApiCall& call, Bucket& bucket)
      PODSIM_REQUIRES(mutex_);
  HttpResponse Multipart(const ApiCall& call, Bucket& bucket)
      PODSIM_REQUIRES(mutex_);
  HttpResponse Piece(const ApiCall& call, Session& session)
      PODSIM_REQUIRES(mutex_);
  HttpResponse Store(const std::string& bucket, const std::string& object,
                     const std::string& type, const std::string& condition,
                     const std::optional<std::string>& crc32c,
                     std::string bytes) PODSIM_REQUIRES(mutex_);
  nlohmann::json Resource(const std::string& bucket, const std::string& name,
                          const Object& object) const;

  Mutex mutex_;
  GcsDoubleOptions options_ PODSIM_GUARDED_BY(mutex_);
  std::optional<std::vector<Asked>> log_ PODSIM_GUARDED_BY(mutex_);
  bool refuses_deletions_ PODSIM_GUARDED_BY(mutex_) = false;
  std::int64_t generation_ PODSIM_GUARDED_BY(mutex_) = 1700000000000000;
  std::map<std::string, Bucket> buckets_ PODSIM_GUARDED_BY(mutex_);
  std::map<std::string, Session> sessions_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_GCS_DOUBLE_H_
