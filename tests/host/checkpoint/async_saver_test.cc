#include "host/checkpoint/async_saver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/trace/tracer.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/restore.h"
#include "host/checkpoint/save.h"
#include "host/storage/faulty_store.h"
#include "host/storage/wrapper.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kHosts;
using ::podsim::testing::kStamp;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr bool kNotLast = false;
constexpr bool kLast = true;

// Reports, gathered from background threads.
class Reports {
 public:
  std::function<void(const CheckpointPart&)> Sink() {
    return [this](const CheckpointPart& part) {
      MutexLock lock(mutex_);
      parts_.push_back(part);
    };
  }
  std::vector<CheckpointPart> parts() const {
    MutexLock lock(mutex_);
    return parts_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<CheckpointPart> parts_ PODSIM_GUARDED_BY(mutex_);
};

class AsyncSaverTest : public ::testing::Test {
 protected:
  AsyncSaver::Options Options(std::vector<int> local_hosts) {
    return {.store = &store_,
            .model_dir = "/m",
            .stamp = kStamp,
            .program = program_,
            .local_hosts = std::move(local_hosts),
            .hosts = kHosts,
            .on_written = reports_.Sink()};
  }

  const std::shared_ptr<const Program> program_ =
      std::make_shared<const Program>(testing::TrainedMlp({16, 8}));
  const std::unique_ptr<ObjectStore> memory_ = NewMemoryStore();
  FaultyStore store_{memory_.get()};
  Reports reports_;
};

// Two processes, two hosts each: together they write what one would.
TEST_F(AsyncSaverTest, ProcessesTogetherWriteACheckpoint) {
  const auto variables = testing::SomeVariables(*program_, 4);
  {
    AsyncSaver first(Options({0, 1}));
    AsyncSaver second(Options({2, 3}));
    ASSERT_THAT(first.Save(100, variables, kNotLast), IsOk());
    ASSERT_THAT(second.Save(100, variables, kNotLast), IsOk());
    EXPECT_THAT(first.Wait(), IsOk());
    EXPECT_THAT(second.Wait(), IsOk());
  }
  ASSERT_OK_AND_ASSIGN(
      CheckpointManifest manifest,
      testing::WriteParts(*NewMemoryStore(), "/m", *program_, variables, 100));
  manifest.clear_files();
  for (const CheckpointPart& part : reports_.parts()) {
    EXPECT_EQ(part.step(), 100);
    EXPECT_GE(part.seconds_paused(), 0);
    EXPECT_GT(part.seconds_written(), 0);
    for (const CheckpointFile& file : part.files())
      *manifest.add_files() = file;
  }
  ASSERT_THAT(testing::Commit(store_, "/m", kStamp, manifest), IsOk());
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       VerifyCheckpoint(store_, "/m/100"));
  ASSERT_OK_AND_ASSIGN(const auto read,
                       ReadVariables(store_, found, *program_));
  EXPECT_EQ(read, variables);
}

// Each process looks at what it writes; together they look at all.
TEST_F(AsyncSaverTest, NothingIsSavedOfAStateThatDiverged) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (const ProgramVariable& variable : program_->variables) {
      const ProgramTensor& tensor = program_->tensor(variable.tensor);
      auto variables = testing::SomeVariables(*program_, 4);
      variables[tensor.offset + tensor.shape.elements() - 1] = bad;
      AsyncSaver saver(Options({0, 1, 2, 3}));
      ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
      EXPECT_THAT(
          saver.Wait(),
          StatusIs(absl::StatusCode::kInvalidArgument,
                   AllOf(HasSubstr("checkpoint of step 100"),
                         HasSubstr(tensor.name + " is no longer finite"),
                         HasSubstr("there is no checkpoint yet"))));
    }
  }
  EXPECT_THAT(reports_.parts(), SizeIs(0));
  EXPECT_THAT(store_.List("/m"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/m")));
}

TEST_F(AsyncSaverTest, WhoDivergesIsToldOfACheckpointOnceThereIsOne) {
  auto variables = testing::SomeVariables(*program_, 4);
  AsyncSaver saver(Options({0, 1, 2, 3}));
  EXPECT_FALSE(saver.CanGoBack());
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  ASSERT_THAT(saver.Wait(), IsOk());
  EXPECT_TRUE(saver.CanGoBack());
  variables[0] = std::numeric_limits<float>::infinity();
  ASSERT_THAT(saver.Save(200, variables, kNotLast), IsOk());
  EXPECT_THAT(saver.Wait(), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("--restore=/m/STEP")));
  AsyncSaver::Options options = Options({0});
  options.resumed = true;
  EXPECT_TRUE(AsyncSaver(std::move(options)).CanGoBack());
}

TEST_F(AsyncSaverTest, TheLargestNumbersAreNumbers) {
  auto variables = testing::SomeVariables(*program_, 4);
  variables[0] = std::numeric_limits<float>::max();
  variables[1] = std::numeric_limits<float>::lowest();
  variables[2] = std::numeric_limits<float>::denorm_min();
  AsyncSaver saver(Options({0, 1, 2, 3}));
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  EXPECT_THAT(saver.Wait(), IsOk());
}

TEST_F(AsyncSaverTest, WhatIsSavedIsWhatWasThereWhenAsked) {
  auto variables = testing::SomeVariables(*program_, 4);
  const auto image = EncodePart(*program_, variables, 0, kHosts, 100);
  AsyncSaver saver(Options({0}));
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  std::fill(variables.begin(), variables.end(), -1.0f);
  ASSERT_THAT(saver.Wait(), IsOk());
  ASSERT_OK_AND_ASSIGN(
      const std::string written,
      store_.Read(UnfinishedPath("/m", 100, kStamp) + "/" + image->name));
  EXPECT_EQ(written, image->bytes);
}

// Each of its hosts' parts, of traced steps alone, though the write is over
// when training is in other steps.
TEST_F(AsyncSaverTest, WritesOfTracedStepsAreSpansOfTheirHosts) {
  const SystemClock clock;
  Tracer tracer(clock, {.first_step = 100, .last_step = 100});
  AsyncSaver::Options options = Options({2, 3});
  options.tracer = &tracer;
  const auto variables = testing::SomeVariables(*program_, 4);
  AsyncSaver saver(std::move(options));
  for (const std::int64_t step : {99, 100, 101}) {
    tracer.EnterStep(step);
    const std::int64_t asked = tracer.Now();
    ASSERT_THAT(saver.Save(step, variables, kNotLast), IsOk());
    tracer.EnterStep(0);
    ASSERT_THAT(saver.Wait(), IsOk());
    const std::vector<Span> spans = tracer.Take().spans;
    ASSERT_THAT(spans, SizeIs(step == 100 ? 2 : 0));
    for (std::size_t i = 0; i < spans.size(); ++i) {
      EXPECT_EQ(spans[i].kind, SpanKind::kCheckpointWrite);
      EXPECT_EQ(spans[i].step, 100);
      EXPECT_EQ(spans[i].host, static_cast<int>(2 + i));
      EXPECT_GE(spans[i].begin, asked);
      EXPECT_LE(spans[i].end, tracer.Now());
      EXPECT_EQ(spans[i].bytes,
                reports_.parts().back().files(static_cast<int>(i)).bytes());
    }
  }
}

TEST_F(AsyncSaverTest, AHostWithoutTensorsReportsNoFiles) {
  AsyncSaver::Options options = Options({63});
  options.hosts = 64;
  AsyncSaver saver(std::move(options));
  ASSERT_THAT(saver.Save(100, testing::SomeVariables(*program_, 4), kNotLast),
              IsOk());
  ASSERT_THAT(saver.Wait(), IsOk());
  ASSERT_THAT(reports_.parts(), SizeIs(1));
  EXPECT_EQ(reports_.parts()[0].files_size(), 0);
}

TEST_F(AsyncSaverTest, AFailedWriteFailsTheNextStepAndAllAfter) {
  const auto variables = testing::SomeVariables(*program_, 4);
  store_.FailNextWrite(absl::ResourceExhaustedError("No space left on device"));
  AsyncSaver saver(Options({0, 1}));
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  const auto full = StatusIs(absl::StatusCode::kResourceExhausted,
                             AllOf(HasSubstr("checkpoint of step 100"),
                                   HasSubstr("No space left on device")));
  EXPECT_THAT(saver.Wait(), full);
  EXPECT_THAT(saver.status(), full);
  EXPECT_THAT(saver.Save(200, variables, kNotLast), full);
  EXPECT_THAT(saver.Save(300, variables, kNotLast), full);
  EXPECT_THAT(reports_.parts(), SizeIs(0));
}

// A store whose writes wait until they are let through.
class GatedStore final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;

  absl::Status Write(std::string_view path, std::string_view bytes) override {
    {
      MutexLock lock(mutex_);
      while (!open_) opened_.WaitFor(mutex_, std::chrono::seconds(1));
    }
    return ObjectStoreWrapper::Write(path, bytes);
  }
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    opened_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar opened_;
  bool open_ PODSIM_GUARDED_BY(mutex_) = false;
};

TEST_F(AsyncSaverTest, SaveWaitsForTheEarlierOneAndGivesSignsOfLife) {
  GatedStore gate(memory_.get());
  std::atomic<int> signs = 0;
  AsyncSaver::Options options = Options({0, 1});
  options.store = &gate;
  // The write goes on only once Save has shown that it waits.
  options.on_progress = [&] {
    if (++signs == 2) gate.Open();
  };
  AsyncSaver saver(std::move(options));
  const auto variables = testing::SomeVariables(*program_, 4);
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  EXPECT_EQ(signs, 0);
  ASSERT_THAT(saver.Save(200, variables, kNotLast), IsOk());
  EXPECT_GE(signs, 2);
  ASSERT_THAT(saver.Wait(), IsOk());
  ASSERT_THAT(reports_.parts(), SizeIs(2));
  EXPECT_EQ(reports_.parts()[0].step(), 100);
  EXPECT_EQ(reports_.parts()[1].step(), 200);
  // Two signs are a tenth of a second apart.
  EXPECT_GE(reports_.parts()[1].seconds_paused(), 0.1);
}

// Nothing of the skipped step is copied: one save is in flight, no more.
TEST_F(AsyncSaverTest, WhatIsDueWhileTheStoreIsSilentIsSkipped) {
  GatedStore gate(memory_.get());
  AsyncSaver::Options options = Options({0, 1});
  options.store = &gate;
  options.silence = [] { return AsyncSaver::kPatience; };
  AsyncSaver saver(std::move(options));
  const auto variables = testing::SomeVariables(*program_, 4);
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  for (const int step : {200, 300})
    ASSERT_THAT(saver.Save(step, variables, kNotLast), IsOk());
  std::vector<CheckpointPart> parts = reports_.parts();
  ASSERT_THAT(parts, SizeIs(2));
  for (const CheckpointPart& part : parts) EXPECT_TRUE(part.skipped());
  EXPECT_EQ(parts[0].step(), 200);
  EXPECT_EQ(parts[1].step(), 300);
  gate.Open();
  ASSERT_THAT(saver.Wait(), IsOk());
  ASSERT_THAT(saver.Save(400, variables, kNotLast), IsOk());
  ASSERT_THAT(saver.Wait(), IsOk());
  parts = reports_.parts();
  ASSERT_THAT(parts, SizeIs(4));
  EXPECT_EQ(parts[2].step(), 100);
  EXPECT_FALSE(parts[2].skipped());
  EXPECT_EQ(parts[3].step(), 400);
  EXPECT_FALSE(parts[3].skipped());
  ASSERT_OK_AND_ASSIGN(const auto names, memory_->List("/m"));
  EXPECT_THAT(names, SizeIs(2));
}

TEST_F(AsyncSaverTest, AStoreThatIsSilentForAShortWhileIsWaitedFor) {
  GatedStore gate(memory_.get());
  std::atomic<int> signs = 0;
  AsyncSaver::Options options = Options({0, 1});
  options.store = &gate;
  options.silence = [] { return AsyncSaver::kPatience / 2; };
  options.on_progress = [&] {
    if (++signs == 2) gate.Open();
  };
  AsyncSaver saver(std::move(options));
  const auto variables = testing::SomeVariables(*program_, 4);
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  ASSERT_THAT(saver.Save(200, variables, kNotLast), IsOk());
  ASSERT_THAT(saver.Wait(), IsOk());
  ASSERT_THAT(reports_.parts(), SizeIs(2));
  EXPECT_FALSE(reports_.parts()[1].skipped());
}

TEST_F(AsyncSaverTest, TheLastStepIsNeverSkipped) {
  GatedStore gate(memory_.get());
  std::atomic<int> signs = 0;
  AsyncSaver::Options options = Options({0, 1});
  options.store = &gate;
  options.silence = [] { return absl::InfiniteDuration(); };
  options.on_progress = [&] {
    if (++signs == 2) gate.Open();
  };
  AsyncSaver saver(std::move(options));
  const auto variables = testing::SomeVariables(*program_, 4);
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  ASSERT_THAT(saver.Save(200, variables, kLast), IsOk());
  ASSERT_THAT(saver.Wait(), IsOk());
  ASSERT_THAT(reports_.parts(), SizeIs(2));
  EXPECT_EQ(reports_.parts()[1].step(), 200);
  EXPECT_FALSE(reports_.parts()[1].skipped());
}

// As before: what went wrong is told, whatever the store does now.
TEST_F(AsyncSaverTest, AfterAFailedWriteNothingIsSkipped) {
  store_.FailNextWrite(absl::UnavailableError("given up"));
  AsyncSaver::Options options = Options({0, 1});
  options.silence = [] { return absl::InfiniteDuration(); };
  AsyncSaver saver(std::move(options));
  const auto variables = testing::SomeVariables(*program_, 4);
  ASSERT_THAT(saver.Save(100, variables, kNotLast), IsOk());
  EXPECT_FALSE(saver.Wait().ok());
  EXPECT_THAT(saver.Save(200, variables, kNotLast),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("given up")));
}

TEST_F(AsyncSaverTest, EndsWithoutTheRestWhenDestroyed) {
  GatedStore gate(memory_.get());
  AsyncSaver::Options options = Options({0, 1, 2, 3});
  options.store = &gate;
  {
    AsyncSaver saver(std::move(options));
    ASSERT_THAT(saver.Save(100, testing::SomeVariables(*program_, 4), kNotLast),
                IsOk());
    gate.Open();
  }
  // Whole files only, be it none or all.
  const auto names = memory_->List(UnfinishedPath("/m", 100, kStamp));
  EXPECT_LE(names.ok() ? names->size() : 0, 4);
}

}  // namespace
}  // namespace podsim
