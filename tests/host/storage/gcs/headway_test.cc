// What takes several calls is told of while it lasts, and ends when nobody
// waits any longer, though each of its calls is answered.
#include "host/storage/gcs/headway.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/store.h"
#include "tests/host/storage/gcs/lie_table.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Duration kRoundTrip = absl::Milliseconds(300);

// Each exchange takes a round trip; told of are the bytes of its body.
class SlowHttp final : public Http {
 public:
  SlowHttp(GcsDouble* objects, SimClock* clock, const Lie* lie)
      : objects_(objects), clock_(clock), lie_(lie) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    clock_->Advance(kRoundTrip);
    const auto moved = static_cast<std::int64_t>(request.body.size());
    if (request.watch && !request.watch(moved))
      return absl::CancelledError("not waited for any longer");
    const auto honest = [&] { return objects_->Handle(request); };
    return *lie_ == nullptr ? honest() : (*lie_)(request, honest);
  }

 private:
  GcsDouble* const objects_;
  SimClock* const clock_;
  const Lie* const lie_;
};

class GcsHeadwayTest : public ::testing::Test {
 protected:
  GcsHeadwayTest() : objects_({.page = 2}) {
    objects_.MakeBucket("bucket", "EU");
    for (int i = 10; i < 30; ++i)
      objects_.Put("bucket", absl::StrCat("run/", i), "bytes");
    client_ = std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = GcsDoubleOptions().endpoint,
                           .waiter = VirtualWaiter(&clock_),
                           .waits = &waits_},
        std::make_unique<SlowHttp>(&objects_, &clock_, &lie_), NoTokens());
    client_ptr_ = client_.get();
    store_ = NewGcsStore(std::move(client_));
  }

  SimClock clock_;
  GcsDouble objects_;
  Lie lie_;
  std::vector<std::string> said_;
  std::vector<std::string> over_;
  StoreWaits waits_{
      {.often = absl::ZeroDuration(),
       .seldom = absl::ZeroDuration(),
       .say = [this](const std::string& text) { said_.push_back(text); },
       .over = [this](const std::string& text) { over_.push_back(text); }},
      VirtualWaiter(&clock_)};
  std::unique_ptr<GcsClient> client_;
  GcsClient* client_ptr_;  // the store's
  std::unique_ptr<ObjectStore> store_;
};

TEST_F(GcsHeadwayTest, ALongListingIsToldOfWithinTwoSeconds) {
  ASSERT_OK_AND_ASSIGN(const auto names, store_->List("gs://bucket/run"));
  EXPECT_EQ(names.size(), 20u);
  ASSERT_FALSE(said_.empty());
  EXPECT_EQ(said_.front(),
            "waiting: list gs://bucket/run (attempt 1, 0 s): 3 pages with 6 "
            "names so far");
  EXPECT_THAT(over_, Contains("list gs://bucket/run: done, after 3 s"));
}

TEST_F(GcsHeadwayTest, AShortListingIsNoWait) {
  objects_.Put("bucket", "few/a", "bytes");
  ASSERT_OK_AND_ASSIGN(const auto names, store_->List("gs://bucket/few"));
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(GcsHeadwayTest, GivesUpAfterSoManyTimes) {
  GcsHeadway headway(*client_ptr_, "write gs://bucket/x");
  for (int i = 1; i < 5; ++i)
    EXPECT_THAT(headway.Stuck("another wrote it first", 5), IsOk());
  headway.CameOn();
  for (int i = 1; i < 5; ++i)
    EXPECT_THAT(headway.Stuck("another wrote it first", 5), IsOk());
  EXPECT_THAT(headway.Stuck("another wrote it first", 5),
              StatusIs(absl::StatusCode::kUnavailable,
                       "write gs://bucket/x: 5 times another wrote it first"));
}

// Answers to each of its calls come at once, and bring nothing.
struct Endless {
  const char* name;
  Lie lie;
  std::function<absl::Status(ObjectStore& store)> act;
};

std::vector<Endless> AllEndless() {
  static constexpr char kTen[] = "gs://bucket/run/10";
  static constexpr char kTree[] = "gs://bucket/run";
  std::int64_t generation = 1;
  const auto race = [generation](const HttpRequest& request,
                                 const Honest& honest) mutable {
    if (IsUpload(request)) return HttpResponse{.status = 412};
    if (!IsMetadata(request)) return honest();
    return HttpResponse{
        .status = 200,
        .body = absl::StrCat(R"({"name":"run/10","size":"1","generation":")",
                             ++generation, R"("})")};
  };
  int page = 0;
  const auto pages = [page](const HttpRequest&, const Honest&) mutable {
    ++page;
    return HttpResponse{
        .status = 200,
        .body = absl::StrCat(R"({"nextPageToken":")", page,
                             R"(","items":[{"name":"run/)", 10'000 + page,
                             R"(","size":"1","generation":"1"}]})")};
  };
  const auto pieces = [](const HttpRequest& request, const Honest& honest) {
    return IsPiece(request) ? HttpResponse{.status = 308} : honest();
  };
  const auto gone = [](const HttpRequest& request, const Honest& honest) {
    return IsDelete(request) ? HttpResponse{.status = 204} : honest();
  };
  const auto busy = [](const HttpRequest& request, const Honest& honest) {
    return IsUpload(request) ? HttpResponse{.status = 503} : honest();
  };
  const auto write = [](std::int64_t bytes) {
    return [bytes](ObjectStore& store) {
      return store.Write(kTen, std::string(bytes, 'x'));
    };
  };
  return {
      {"races", race, write(3)},
      {"an upload that is not taken", pieces, write(2 * kUploadAtOnce)},
      {"pages", pages,
       [](ObjectStore& store) { return store.List(kTree).status(); }},
      {"deletions", gone,
       [](ObjectStore& store) { return store.DeleteTree(kTree); }},
      // Last: whoever gets no answer but this is not asked again.
      {"503 to a large body", busy, write(kUploadAtOnce)},
  };
}

TEST_F(GcsHeadwayTest, NobodyWhoHurriesWaitsForAnswersThatBringNothing) {
  waits_.Hurry(kSavingPatience, "the job is to end");
  for (const Endless& endless : AllEndless()) {
    SCOPED_TRACE(endless.name);
    lie_ = endless.lie;
    const absl::Time begin = clock_.Now();
    EXPECT_THAT(endless.act(*store_),
                StatusIs(absl::StatusCode::kUnavailable,
                         AllOf(HasSubstr("gs://bucket/run"),
                               HasSubstr("the job is to end"))));
    // A piece or a page that is under way, and the pause before it.
    EXPECT_LE(clock_.Now() - begin, kSavingPatience + absl::Seconds(2));
  }
}

}  // namespace
}  // namespace podsim::testing
