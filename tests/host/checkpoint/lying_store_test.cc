// A store that says one thing that is not so, once, at each request of a job's
// start: nothing is deleted for it, and no job begins anew beside a checkpoint.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/store.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GcsDouble;
using ::podsim::testing::IsOk;

constexpr char kRunDir[] = "gs://bucket/run";

struct Lie {
  const char* name;
  int status;
  const char* body;
};

const std::vector<Lie> kLies = {
    {"a proxy's page", 404, "<html><body>Not found</body></html>"},
    {"nothing", 404, ""},
    {"the API's words", 404,
     R"({"error": {"code": 404, "message": "Not Found"}})"},
    {"no content", 204, ""},
    {"not modified", 304, ""},
    {"a condition", 412, R"({"error": {"code": 412, "message": "no"}})"},
};

// Answers request `at`, counted from 0, with a lie.
class Liar final : public Http {
 public:
  Liar(std::unique_ptr<Http> base, const Lie& lie, int at, int* made)
      : base_(std::move(base)), lie_(lie), at_(at), made_(made) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    if ((*made_)++ == at_)
      return HttpResponse{.status = lie_.status, .body = lie_.body};
    return base_->Send(request);
  }

 private:
  const std::unique_ptr<Http> base_;
  const Lie lie_;
  const int at_;
  int* const made_;
};

class LyingStoreTest : public ::testing::Test {
 protected:
  LyingStoreTest() { objects_.MakeBucket("bucket", "EU"); }

  std::unique_ptr<ObjectStore> Over(std::unique_ptr<Http> http) {
    return NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_)},
        std::move(http), NoTokens()));
  }

  // What the next job of the model_dir does first. The step that it begins
  // with; 0: it begins anew.
  static absl::StatusOr<std::int64_t> Start(ObjectStore& store) {
    PODSIM_ASSIGN_OR_RETURN(const Newest newest,
                            FindNewestGood(store, kRunDir));
    PODSIM_RETURN_IF_ERROR(testing::Clean(store, kRunDir));
    return newest.checkpoint ? newest.checkpoint->step : 0;
  }

  SimClock clock_;
  GcsDouble objects_;
  const Program program_ = testing::TrainedMlp({6});
};

TEST_F(LyingStoreTest, OneWrongAnswerDeletesNothingAndBeginsNothingAnew) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  for (const std::int64_t step : {100, 200})
    ASSERT_THAT(
        testing::SaveCheckpoint(*direct, kRunDir, program_,
                                testing::SomeVariables(program_, 1), step),
        IsOk());
  const std::vector<std::string> before = objects_.Names("bucket");
  for (const Lie& lie : kLies) {
    int failures = 0;
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      int made = 0;
      const auto store = Over(std::make_unique<Liar>(
          testing::NewDoubleHttp(&objects_), lie, at, &made));
      const absl::StatusOr<std::int64_t> begun = Start(*store);
      if (made <= at) break;  // it had no more requests
      EXPECT_EQ(objects_.Names("bucket"), before);
      if (begun.ok()) {
        EXPECT_EQ(*begun, 200);
      } else {
        ++failures;
        EXPECT_TRUE(absl::StrContains(begun.status().message(), "run"))
            << begun.status();
      }
      if (HasFailure()) return;
    }
    ::testing::Test::RecordProperty(lie.name, failures);
  }
}

// Nor is a step that is there taken for damaged, and replaced.
TEST_F(LyingStoreTest, OneWrongAnswerReplacesNoCheckpoint) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  const auto variables = testing::SomeVariables(program_, 1);
  ASSERT_THAT(
      testing::SaveCheckpoint(*direct, kRunDir, program_, variables, 100),
      IsOk());
  const std::vector<std::string> committed = objects_.Names("bucket");
  for (const Lie& lie : kLies) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      // The same step, made again by the holding after.
      ASSERT_OK_AND_ASSIGN(const CheckpointManifest manifest,
                           testing::WriteParts(*direct, kRunDir, program_,
                                               variables, 100, 2000));
      int made = 0;
      const auto store = Over(std::make_unique<Liar>(
          testing::NewDoubleHttp(&objects_), lie, at, &made));
      const absl::Status status =
          testing::Commit(*store, kRunDir, 2000, manifest);
      if (made <= at) break;
      const std::vector<std::string> now = objects_.Names("bucket");
      for (const std::string& name : committed)
        EXPECT_NE(std::find(now.begin(), now.end(), name), now.end())
            << name << " is gone, " << status;
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace podsim
