// One store and one thing that it says which is not so, for as long as it is
// asked: what each row of the tables of lies is.
#ifndef PODSIM_TESTS_HOST_STORAGE_GCS_LIE_TABLE_H_
#define PODSIM_TESTS_HOST_STORAGE_GCS_LIE_TABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "host/storage/http/http.h"
#include "host/storage/storage.h"
#include "tests/testing/gcs/gcs_double.h"

namespace podsim::testing {

// What is answered; `honest` asks the double.
using Honest = std::function<HttpResponse()>;
using Lie = std::function<absl::StatusOr<HttpResponse>(
    const HttpRequest& request, const Honest& honest)>;

// Which requests are lied to.
bool IsMedia(const HttpRequest& request);
bool IsMetadata(const HttpRequest& request);
bool IsListing(const HttpRequest& request);
bool IsUpload(const HttpRequest& request);
bool IsPiece(const HttpRequest& request);
bool IsDelete(const HttpRequest& request);
bool IsCopy(const HttpRequest& request);

struct LieRow {
  std::string name;
  bool (*lied_to)(const HttpRequest&);
  Lie lie;
  // What is done meanwhile, and what its error says besides the object; empty:
  // it succeeds all the same.
  std::function<absl::Status(ObjectStore& store)> act;
  std::string object;
  std::string answer;
  int most_requests = 4;  // kFewAttempts
};

// Always this answer.
Lie Always(HttpResponse answer);
// The double's, changed.
Lie Changed(std::function<void(HttpResponse& answer)> change);
// The same of its JSON.
Lie ChangedJson(std::function<void(nlohmann::json& json)> change);

// The same with another header.
Lie HeaderLie(const std::string& name, const std::string& value);

inline constexpr char kLieObject[] = "gs://bucket/run/a";
inline constexpr char kLieLarge[] = "gs://bucket/run/large";
inline constexpr char kLieFolder[] = "gs://bucket/run";
// Attempts of what is damaged.
inline constexpr int kFewAttempts = 4;

// What a captive portal or a proxy says, whatever is asked, and what a store
// never does.
std::vector<LieRow> LiesOfStrangers();
LieRow LieOfStatus(int status);
std::vector<LieRow> Joined(std::vector<LieRow> a, std::vector<LieRow> b);
// Each is asked for as long as a call may take: so are those who are not the
// store, once it has answered.
std::vector<LieRow> ForLong(std::vector<LieRow> rows);

// Plays it against a bucket with run/a, run/b, run/c and run/large: the error
// is one line that names object and answer, after a number of requests and in a
// time that are bounded, nothing is deleted, and no request goes elsewhere.
void CheckLie(const LieRow& row);

// What rows have in common that do not say otherwise; `before`: requests that
// it makes besides, which are answered.
struct LieAct {
  bool (*lied_to)(const HttpRequest&);
  std::string object;
  std::function<absl::Status(ObjectStore&)> act;
  int before = 0;
};
void CheckLies(const LieAct& act, std::vector<LieRow> rows);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_STORAGE_GCS_LIE_TABLE_H_
