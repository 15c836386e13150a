// What the store makes of answers that are not so: each ends in one line that
// names object and answer, after a number of requests that is bounded.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/clock.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/store.h"
#include "host/storage/object_lease.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsDouble;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::StatusCode kUnavailable = absl::StatusCode::kUnavailable;

// What is answered instead of the double's; nothing: the double's.
using Lie = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

class Liar final : public Http {
 public:
  Liar(std::unique_ptr<Http> base, const Lie* lie, int* requests)
      : base_(std::move(base)), lie_(lie), requests_(requests) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    ++*requests_;
    if (*lie_ != nullptr)
      if (std::optional<HttpResponse> answer = (*lie_)(request))
        return *std::move(answer);
    return base_->Send(request);
  }

 private:
  const std::unique_ptr<Http> base_;
  const Lie* const lie_;
  int* const requests_;
};

class GcsLiesTest : public ::testing::Test {
 protected:
  GcsLiesTest() {
    objects_.MakeBucket("bucket", "EU");
    objects_.Put("bucket", "run/a", "bytes");
    store_ = NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_)},
        std::make_unique<Liar>(testing::NewDoubleHttp(&objects_), &lie_,
                               &requests_),
        NoTokens()));
  }

  static bool IsMetadata(const HttpRequest& request) {
    return request.method == "GET" && absl::StrContains(request.url, "/o/") &&
           !absl::StrContains(request.url, "alt=media");
  }
  static bool IsMedia(const HttpRequest& request) {
    return absl::StrContains(request.url, "alt=media");
  }

  SimClock clock_;
  GcsDouble objects_;
  Lie lie_;
  int requests_ = 0;
  std::unique_ptr<ObjectStore> store_;
};

TEST_F(GcsLiesTest, APageOfAProxyHidesNoObject) {
  std::string page = "<html>not here</html>";
  lie_ = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (!IsMetadata(request)) return std::nullopt;
    return HttpResponse{.status = 404, .body = page};
  };
  for (const char* name : {"gs://bucket/run/a", "gs://bucket/run/b"})
    EXPECT_THAT(store_->Stat(name).status(),
                StatusIs(kUnavailable,
                         AllOf(HasSubstr(name),
                               HasSubstr("answered with HTML (status 404)"))));
  page = "not here";
  EXPECT_THAT(store_->Stat("gs://bucket/run/a").status(),
              StatusIs(kUnavailable, AllOf(HasSubstr("gs://bucket/run/a"),
                                           HasSubstr("lists it"))));
  EXPECT_THAT(store_->Stat("gs://bucket/run/b").status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("run/b")));
}

// As an emulator answers whatever is asked of a bucket that it has not.
TEST_F(GcsLiesTest, WhoAnswers404ToEverythingIsNotAskedAgainAndAgain) {
  lie_ = [](const HttpRequest&) -> std::optional<HttpResponse> {
    return HttpResponse{.status = 404};
  };
  for (const absl::Status& status : {store_->Stat("gs://bucket/run/a").status(),
                                     store_->Read("gs://bucket/run/a").status(),
                                     store_->List("gs://bucket/run").status()})
    EXPECT_THAT(status, StatusIs(kUnavailable,
                                 HasSubstr("is there a bucket bucket, and")));
  EXPECT_LE(requests_, 6);
}

TEST_F(GcsLiesTest, AStatusThatIsNoAnswerIsNone) {
  for (const int status : {204, 304, 412}) {
    lie_ = [status](const HttpRequest& request) -> std::optional<HttpResponse> {
      if (!IsMetadata(request)) return std::nullopt;
      return HttpResponse{.status = status};
    };
    EXPECT_THAT(store_->Stat("gs://bucket/run/a").status(),
                StatusIs(kUnavailable,
                         AllOf(HasSubstr("run/a"),
                               HasSubstr(absl::StrCat("an answer ", status)))));
  }
}

TEST_F(GcsLiesTest, ASizeIsNotTakenOnTrust) {
  objects_.Put("bucket", "run/large", std::string(9 << 20, 'x'));
  const std::string total = absl::StrCat("/", 9 << 20);
  bool twice = false;
  lie_ = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    HttpResponse answer = objects_.Handle(request);
    constexpr char kHuge[] = "900000000000000";
    if (IsMedia(request))
      absl::StrReplaceAll({{total, absl::StrCat("/", kHuge)}},
                          &answer.headers["content-range"]);
    if (IsMetadata(request) && twice)
      absl::StrReplaceAll({{absl::StrCat(9 << 20), kHuge}}, &answer.body);
    return answer;
  };
  EXPECT_THAT(store_->Read("gs://bucket/run/large").status(),
              StatusIs(kUnavailable,
                       HasSubstr("gs://bucket/run/large: an answer says that "
                                 "it has 900000000000000 bytes, it has 94")));
  twice = true;
  EXPECT_THAT(
      store_->Read("gs://bucket/run/large").status(),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("gs://bucket/run/large"), HasSubstr("memory"))));
}

TEST_F(GcsLiesTest, AReadsNotFoundDecidesNothing) {
  lie_ = [](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (!IsMedia(request)) return std::nullopt;
    return HttpResponse{.status = 404, .body = "Not Found"};
  };
  EXPECT_THAT(store_->Read("gs://bucket/run/a").status(),
              StatusIs(kUnavailable, HasSubstr("has it and answers 404")));
  EXPECT_THAT(store_->Read("gs://bucket/run/b").status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("run/b")));
}

TEST_F(GcsLiesTest, ABucketIsMissingOnlyIfThatIsSaidTwice) {
  int left = 1;
  lie_ = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (!absl::StrContains(request.url, "/o?prefix") || left-- <= 0)
      return std::nullopt;
    return HttpResponse{.status = 404,
                        .body = R"({"error": {"code": 404, "message": "x"}})"};
  };
  EXPECT_THAT(store_->List("gs://bucket/run").status(), IsOk());
  left = 2;
  EXPECT_THAT(
      store_->List("gs://bucket/run").status(),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no bucket bucket")));
}

// Nor is a lease lost that is still this job's.
TEST_F(GcsLiesTest, ADeniedRenewalIsNoTakeover) {
  ASSERT_OK_AND_ASSIGN(const auto lease,
                       ObjectLease::Acquire(*store_, "gs://bucket/run", {}));
  lie_ = [](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (!absl::StrContains(request.url, "/upload/")) return std::nullopt;
    return HttpResponse{.status = 412};
  };
  EXPECT_THAT(lease->Renew(),
              StatusIs(kUnavailable,
                       AllOf(HasSubstr("gs://bucket/run/.podsim-lease"),
                             HasSubstr("3 times the store answered 412"))));
  // Ever another generation.
  std::int64_t generation = 1;
  lie_ = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (absl::StrContains(request.url, "/upload/"))
      return HttpResponse{.status = 412};
    HttpResponse answer = objects_.Handle(request);
    if (IsMedia(request))
      answer.headers["x-goog-generation"] = absl::StrCat(++generation);
    if (IsMetadata(request))
      answer.body = absl::StrCat(
          R"({"name":"run/.podsim-lease","size":"9","generation":")",
          ++generation, R"("})");
    return answer;
  };
  EXPECT_THAT(lease->Renew(),
              StatusIs(kUnavailable, AllOf(HasSubstr("run/.podsim-lease"),
                                           HasSubstr("holds it; try again"))));
  lie_ = nullptr;
  EXPECT_THAT(lease->Renew(), IsOk());
}

TEST_F(GcsLiesTest, AListingThatNeverEndsIsGivenUp) {
  for (const bool repeats : {true, false}) {
    int pages = 0;
    lie_ = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
      if (!absl::StrContains(request.url, "/o?prefix")) return std::nullopt;
      ++pages;
      return HttpResponse{.status = 200,
                          .body = absl::StrCat(R"({"nextPageToken": ")",
                                               repeats ? 7 : pages, R"("})")};
    };
    EXPECT_THAT(store_->List("gs://bucket/run").status(),
                StatusIs(kUnavailable,
                         AllOf(HasSubstr("gs://bucket/run"),
                               HasSubstr(repeats ? "names itself as the next"
                                                 : "16 pages in a row have no "
                                                   "name"))));
    EXPECT_LE(pages, 16);
  }
}

TEST_F(GcsLiesTest, ACopyThatIsNeverDoneIsGivenUp) {
  lie_ = [](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (!absl::StrContains(request.url, "/rewriteTo/")) return std::nullopt;
    return HttpResponse{.status = 200,
                        .body = R"({"done": false, "rewriteToken": "x"})"};
  };
  EXPECT_THAT(store_->Conditional("gs://bucket/run/a")
                  ->CopyIf("gs://bucket/run/a", "gs://bucket/run/b", 0),
              StatusIs(kUnavailable,
                       AllOf(HasSubstr("run/b"),
                             HasSubstr("8 times it came no further than"))));
}

// A session that takes a byte of each piece, or forgets what it had.
TEST_F(GcsLiesTest, AnUploadThatDoesNotComeOnIsGivenUp) {
  constexpr std::int64_t kSize = 3 * kUploadAtOnce;
  const std::string bytes(kSize, 'x');
  for (const bool forgets : {true, false}) {
    std::int64_t sent = 0;
    std::int64_t there = 0;
    lie_ = [&](const HttpRequest& request) -> std::optional<HttpResponse> {
      if (request.method != "PUT") return std::nullopt;
      sent += static_cast<std::int64_t>(request.body.size());
      there = !forgets ? there + 1 : there > 0 ? 0 : kUploadAtOnce;
      HttpResponse answer{.status = 308};
      if (there > 0)
        answer.headers["range"] = absl::StrCat("bytes=0-", there - 1);
      return answer;
    };
    const absl::Status status = store_->Write("gs://bucket/run/big", bytes);
    EXPECT_THAT(status,
                StatusIs(forgets ? absl::StatusCode::kDataLoss : kUnavailable,
                         HasSubstr("run/big")));
    EXPECT_LE(sent, 10 * kUploadAtOnce);
  }
}

}  // namespace
}  // namespace podsim
