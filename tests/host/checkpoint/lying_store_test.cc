// A store that says one thing that is not so, once, at each request of a job's
// start: nothing is deleted for it, and no job begins anew beside a checkpoint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
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
constexpr std::int64_t kNext = 1800;  // the stamp of the next job

struct Lie {
  const char* name;
  int status;
  const char* body;
  int lost = 0;  // instead of another answer: so many items of a true listing
};

const std::vector<Lie> kLies = {
    {"a proxy's page", 404, "<html><body>Not found</body></html>"},
    {"nothing", 404, ""},
    {"the API's words", 404,
     R"({"error": {"code": 404, "message": "Not Found"}})"},
    {"no content", 204, ""},
    {"not modified", 304, ""},
    {"a condition", 412, R"({"error": {"code": 412, "message": "no"}})"},
    {"an empty object", 200, "{}"},
    {"a listing without its last item", 200, "", 1},
    {"a listing without its last three", 200, "", 3},
    {"a listing without its last six", 200, "", 6},
    {"a listing without its last nine", 200, "", 9},
    {"a listing without its last twenty", 200, "", 20},
};

// What is no listing, or has fewer items, is true.
void LoseItems(int lost, HttpResponse& answer) {
  auto page = nlohmann::json::parse(answer.body, /*cb=*/nullptr,
                                    /*allow_exceptions=*/false);
  if (!page.is_object() || !page.contains("items")) return;
  auto& items = page["items"];
  for (; lost > 0 && !items.empty(); --lost) items.erase(items.size() - 1);
  answer.body = page.dump();
}

// Answers request `at`, counted from 0, with a lie.
class Liar final : public Http {
 public:
  Liar(std::unique_ptr<Http> base, const Lie& lie, int at, int* made)
      : base_(std::move(base)), lie_(lie), at_(at), made_(made) {}
  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override {
    const bool lies = (*made_)++ == at_;
    if (lies && lie_.lost == 0)
      return HttpResponse{.status = lie_.status, .body = lie_.body};
    absl::StatusOr<HttpResponse> answer = base_->Send(request);
    if (lies && answer.ok()) LoseItems(lie_.lost, *answer);
    return answer;
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
    const std::int64_t step = newest.checkpoint ? newest.checkpoint->step : 0;
    PODSIM_RETURN_IF_ERROR(testing::Clean(store, kRunDir));
    PODSIM_RETURN_IF_ERROR(testing::SetAside(store, kRunDir, step, kNext));
    return step;
  }

  absl::Status Save(ObjectStore& store, std::int64_t step) {
    return testing::SaveCheckpoint(store, kRunDir, program_,
                                   testing::SomeVariables(program_, 1), step);
  }

  // Each lie at each request of a start from step 200: it begins there or
  // fails, and nothing goes.
  void CheckStarts() {
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

  SimClock clock_;
  GcsDouble objects_;
  const Program program_ = testing::TrainedMlp({6});
};

TEST_F(LyingStoreTest, OneWrongAnswerDeletesNothingAndBeginsNothingAnew) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  for (const std::int64_t step : {100, 200})
    ASSERT_THAT(Save(*direct, step), IsOk());
  CheckStarts();
}

// Its marker comes last in a listing, and what lacks one is cleared away.
TEST_F(LyingStoreTest, OneWrongAnswerDeletesNothingThatWasSetAside) {
  const auto direct = Over(testing::NewDoubleHttp(&objects_));
  for (const std::int64_t step : {200, 300})
    ASSERT_THAT(Save(*direct, step), IsOk());
  ASSERT_THAT(testing::SetAside(*direct, kRunDir, 200, testing::kStamp),
              IsOk());
  CheckStarts();
}

// A start from an older step: the newer one stays, or its copy is whole.
TEST_F(LyingStoreTest, OneWrongAnswerLosesNothingThatIsSetAside) {
  for (const Lie& lie : kLies) {
    for (int at = 0;; ++at) {
      SCOPED_TRACE(absl::StrCat(lie.name, " for request ", at));
      GcsDouble objects;
      objects.MakeBucket("bucket", "EU");
      const auto direct = Over(testing::NewDoubleHttp(&objects));
      for (const std::int64_t step : {100, 200})
        ASSERT_THAT(Save(*direct, step), IsOk());
      ASSERT_THAT(testing::Begin(*direct, kRunDir, kNext), IsOk());
      int made = 0;
      const auto store = Over(std::make_unique<Liar>(
          testing::NewDoubleHttp(&objects), lie, at, &made));
      const absl::Status status =
          testing::SetAside(*store, kRunDir, 100, kNext);
      if (made <= at) break;
      ASSERT_THAT(testing::Clean(*direct, kRunDir), IsOk());
      const std::string step = StepPath(kRunDir, 200);
      if (VerifyCheckpoint(*direct, step).ok()) continue;
      const std::string copy = SetAsidePath(kRunDir, 200, kNext);
      // Under its own name it is a checkpoint again.
      ASSERT_OK_AND_ASSIGN(const auto names,
                           testing::FilesBelow(*direct, copy));
      for (const std::string& name : names) {
        ASSERT_OK_AND_ASSIGN(const std::string bytes, direct->Read(name));
        ASSERT_THAT(direct->Write(step + name.substr(copy.size()), bytes),
                    IsOk());
      }
      EXPECT_THAT(VerifyCheckpoint(*direct, step), IsOk()) << status;
      if (HasFailure()) return;
    }
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
