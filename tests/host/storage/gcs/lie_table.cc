#include "tests/host/storage/gcs/lie_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/store.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr char kToken[] = "secret";
// Attempts of two minutes.
constexpr int kManyAttempts = 24;
// Two minutes of a call, and of a drip what its last attempt takes.
constexpr absl::Duration kMostTime = absl::Minutes(3);

class RowHttp final : public Http {
 public:
  RowHttp(GcsDouble* objects, const LieRow* row, int* requests, SimClock* clock)
      : objects_(objects), row_(row), requests_(requests), clock_(clock) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    MutexLock lock(mutex_);  // several ranges are read at a time
    ++*requests_;
    EXPECT_EQ(request.url.rfind(GcsDoubleOptions().endpoint, 0), 0u)
        << "nothing is asked elsewhere: " << request.url;
    const auto honest = [&] { return objects_->Handle(request); };
    auto answer = row_->lied_to(request)
                      ? row_->lie(request, honest)
                      : absl::StatusOr<HttpResponse>(honest());
    // What comes too slowly is ended after so long.
    if (!answer.ok()) clock_->Advance(HttpLimits().grace);
    if (answer.ok() &&
        static_cast<std::int64_t>(answer->body.size()) > request.most_bytes)
      return absl::OutOfRangeError(absl::StrCat("an answer of more than ",
                                                request.most_bytes, " bytes"));
    return answer;
  }

 private:
  Mutex mutex_;
  GcsDouble* const objects_;
  const LieRow* const row_;
  int* const requests_;
  SimClock* const clock_;
};

class OneToken final : public TokenSource {
 public:
  absl::StatusOr<GcsToken> Fetch(const HttpWatch&) override {
    return GcsToken{.token = kToken, .lasts = absl::Hours(1)};
  }
  std::string name() const override { return "a test"; }
};

void CheckError(const LieRow& row, const absl::Status& status) {
  const std::string text(status.message());
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(text, ::testing::AllOf(::testing::HasSubstr(row.object),
                                     ::testing::HasSubstr(row.answer)));
  EXPECT_EQ(text.find('\n'), text.npos) << text;
  EXPECT_LT(text.size(), 500u) << text;
  EXPECT_EQ(text.find(kToken), text.npos) << text;
  // Nobody takes a lie for what is there, or for a pod that ends.
  EXPECT_FALSE(absl::IsNotFound(status) || absl::IsAborted(status)) << status;
}

}  // namespace

bool IsMedia(const HttpRequest& request) {
  return absl::StrContains(request.url, "alt=media");
}
bool IsMetadata(const HttpRequest& request) {
  return request.method == "GET" && !IsMedia(request) &&
         absl::StrContains(request.url, "/o/");
}
bool IsListing(const HttpRequest& request) {
  return absl::StrContains(request.url, "/o?prefix");
}
bool IsUpload(const HttpRequest& request) {
  return absl::StrContains(request.url, "/upload/");
}
bool IsPiece(const HttpRequest& request) { return request.method == "PUT"; }
bool IsDelete(const HttpRequest& request) { return request.method == "DELETE"; }
bool IsCopy(const HttpRequest& request) {
  return absl::StrContains(request.url, "/rewriteTo/");
}

Lie Always(HttpResponse answer) {
  return [answer = std::move(answer)](const HttpRequest&, const Honest&) {
    return answer;
  };
}

Lie Changed(std::function<void(HttpResponse& answer)> change) {
  return
      [change = std::move(change)](const HttpRequest&, const Honest& honest) {
        HttpResponse answer = honest();
        change(answer);
        return answer;
      };
}

Lie ChangedJson(std::function<void(nlohmann::json& json)> change) {
  return Changed([change = std::move(change)](HttpResponse& answer) {
    auto json = nlohmann::json::parse(answer.body, nullptr, false);
    if (!json.is_object()) return;
    change(json);
    answer.body = json.dump();
  });
}

void CheckLie(const LieRow& row) {
  SCOPED_TRACE(row.name);
  GcsDouble objects(GcsDoubleOptions{.page = 2});
  objects.MakeBucket("bucket", "EU");
  for (const char* name : {"run/a", "run/b", "run/c"})
    objects.Put("bucket", name, "bytes");
  objects.Put("bucket", "run/large", std::string(9 << 20, 'x'));
  const std::vector<std::string> before = objects.Names("bucket");
  SimClock clock;
  int requests = 0;
  const auto store = NewGcsStore(std::make_unique<GcsClient>(
      GcsClient::Options{.endpoint = GcsDoubleOptions().endpoint,
                         .waiter = VirtualWaiter(&clock)},
      std::make_unique<RowHttp>(&objects, &row, &requests, &clock),
      std::make_unique<OneToken>()));
  const absl::Time begin = clock.Now();
  const absl::Status status = row.act(*store);
  if (row.answer.empty()) {
    EXPECT_THAT(status, IsOk());
  } else {
    CheckError(row, status);
  }
  EXPECT_LE(requests, row.most_requests) << status;
  EXPECT_LE(clock.Now() - begin, kMostTime) << status;
  const std::vector<std::string> after = objects.Names("bucket");
  EXPECT_TRUE(
      std::includes(after.begin(), after.end(), before.begin(), before.end()))
      << "something is gone, " << status;
}

std::vector<LieRow> LiesOfStrangers() {
  const std::string page = "\n<!-- login --><!DOCTYPE html><html>Hi</html>";
  std::vector<LieRow> rows;
  for (const int status : {200, 404, 412})
    rows.push_back(
        {.name = absl::StrCat("HTML, ", status),
         .lie = Always({.status = status, .body = page}),
         .answer = absl::StrCat("answered with HTML (status ", status,
                                ") by http://127.0.0.1:1; "
                                "is a proxy in between")});
  for (const int status : {301, 302, 307, 308})
    rows.push_back(
        {.name = absl::StrCat("redirect, ", status),
         .lie = Always({.status = status,
                        .headers = {{"location", "http://elsewhere/o?t=1"}}}),
         .answer = absl::StrCat("answered with a redirect (status ", status,
                                ") to http://elsewhere by")});
  rows.push_back(
      {.name = "redirect to itself",
       .lie =
           [](const HttpRequest& request, const Honest&) {
             return HttpResponse{.status = 302,
                                 .headers = {{"location", request.url}}};
           },
       .answer = "a redirect (status 302) to http://127.0.0.1:1 by"});
  rows.push_back({.name = "drip",
                  .lie = [](const HttpRequest&,
                            const Honest&) -> absl::StatusOr<HttpResponse> {
                    return absl::UnavailableError(
                        "fewer than 16384 bytes a second");
                  },
                  .answer = "fewer than 16384 bytes a second"});
  return rows;
}

LieRow LieOfStatus(int status) {
  return {.name = absl::StrCat("status ", status),
          .lie = Always({.status = status}),
          .answer = absl::StrCat("an answer ", status,
                                 ", which is none to this (attempt 4, ")};
}

std::vector<LieRow> Joined(std::vector<LieRow> a, std::vector<LieRow> b) {
  a.insert(a.end(), std::make_move_iterator(b.begin()),
           std::make_move_iterator(b.end()));
  return a;
}

void CheckLies(const LieAct& act, std::vector<LieRow> rows) {
  for (LieRow& row : rows) {
    if (row.lied_to == nullptr) row.lied_to = act.lied_to;
    if (row.object.empty()) row.object = act.object;
    if (row.act == nullptr) row.act = act.act;
    row.most_requests += act.before;
    CheckLie(row);
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<LieRow> ForLong(std::vector<LieRow> rows) {
  for (LieRow& row : rows) row.most_requests = kManyAttempts;
  return rows;
}

Lie HeaderLie(const std::string& name, const std::string& value) {
  return Changed([=](HttpResponse& answer) { answer.headers[name] = value; });
}

}  // namespace podsim::testing
