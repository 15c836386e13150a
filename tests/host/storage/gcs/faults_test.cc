// Schedules of faults over a store and a model of it, by seeds: no wrong byte,
// no hang, and an error leaves the old object or the new one.
//
// Some by default; PODSIM_STORE_SCHEDULES=2000 makes as many from
// PODSIM_STORE_SEED on (docs/storage.md has the result).
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/random.h"
#include "host/storage/gcs/store.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/gcs/faulty_http.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/run_count.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::FaultyHttp;
using ::podsim::testing::GcsDouble;

constexpr char kRoot[] = "gs://bucket/";
constexpr char kOthers[] = "others/contested";

// A letter's repetition, so that a mixture shows.
std::string Block(std::uint64_t random) {
  const std::uint64_t kind = random % 16;
  const std::size_t size =
      kind == 0   ? 0
      : kind < 14 ? 1 + (random >> 8) % 4096
                  : (std::size_t{8} << 20) + (random >> 8) % 9000000;
  return std::string(size, static_cast<char>('a' + (random >> 40) % 26));
}

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : seed_(seed) {
    objects_.MakeBucket("bucket", "EU");
    auto http = std::make_unique<FaultyHttp>(
        FaultyHttp::Options{
            .seed = seed,
            .per_mille = static_cast<int>(50 + seed % 7 * 50),
            .others = [this](std::uint64_t random) { Meddle(random); }},
        &clock_, testing::NewDoubleHttp(&objects_));
    http_ = http.get();
    store_ = NewGcsStore(std::make_unique<GcsClient>(
        GcsClient::Options{.endpoint = testing::GcsDoubleOptions().endpoint,
                           .waiter = testing::VirtualWaiter(&clock_),
                           .seed = seed},
        std::move(http), NoTokens()));
  }

  void Run() {
    constexpr int kOperations = 30;
    for (int i = 0; i < kOperations && !::testing::Test::HasFailure(); ++i)
      Operation(Draw());
    http_->Heal();
    objects_.StopListings(false);
    for (const auto& [name, bytes] : model_) CheckRead(name);
  }

  std::map<std::string, int> played() const { return http_->played(); }
  int errors() const { return errors_; }

 private:
  std::uint64_t Draw() {
    const auto words = Philox(seed_, drawn_++, 2);
    return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
  }

  // Another job, beside: replaces its own object; listings stop and go on.
  void Meddle(std::uint64_t random) {
    if (random >> 8 & 1)
      objects_.Put("bucket", kOthers, Block(random >> 3 | 15));
    objects_.StopListings((random >> 9 & 3) == 0);
  }

  void Operation(std::uint64_t random) {
    const std::string name = absl::StrCat("d", random % 2, "/", random / 2 % 5);
    switch (random / 16 % 8) {
      case 0:
      case 1:
      case 2:
        return Write(name, Block(Draw()));
      case 3:
        return Delete(name);
      case 4:
        return ReadContested();
      case 5:
        return ReadPart(name, Draw());
      default:
        return CheckRead(name);
    }
  }

  void Write(const std::string& name, const std::string& bytes) {
    const absl::Status status = store_->Write(kRoot + name, bytes);
    Settle(status, name, bytes);
  }

  void Delete(const std::string& name) {
    const absl::Status status = store_->Delete(kRoot + name);
    if (absl::IsNotFound(status)) {
      EXPECT_FALSE(model_[name].has_value()) << status;
      return;
    }
    Settle(status, name, std::nullopt);
  }

  // After an error of a change, the old or the new stands there.
  void Settle(const absl::Status& status, const std::string& name,
              const std::optional<std::string>& changed) {
    const std::optional<std::string> there = objects_.Bytes("bucket", name);
    if (status.ok()) {
      EXPECT_TRUE(there == changed) << name;
    } else {
      CheckError(status, name);
      EXPECT_TRUE(there == changed || there == model_[name])
          << name << " after " << status;
    }
    model_[name] = there;
  }

  void CheckError(const absl::Status& status, const std::string& name) {
    ++errors_;
    EXPECT_NE(status.message().find(kRoot + name), std::string::npos) << status;
    EXPECT_TRUE(absl::IsUnavailable(status) || absl::IsDataLoss(status) ||
                absl::IsUnauthenticated(status) || absl::IsAborted(status) ||
                absl::IsResourceExhausted(status))
        << status;
    // Only what was tried again and again fails.
    EXPECT_THAT(status.message(),
                ::testing::AnyOf(::testing::HasSubstr("attempt"),
                                 ::testing::HasSubstr(" times ")));
  }

  void CheckRead(const std::string& name) {
    const absl::StatusOr<std::string> read = store_->Read(kRoot + name);
    const std::optional<std::string>& want = model_[name];
    if (read.ok()) {
      EXPECT_TRUE(want.has_value() && *read == *want) << name;
    } else if (absl::IsNotFound(read.status())) {
      EXPECT_FALSE(want.has_value()) << read.status();
    } else {
      CheckError(read.status(), name);
    }
  }

  void ReadPart(const std::string& name, std::uint64_t random) {
    const std::int64_t offset = 1 + static_cast<std::int64_t>(random % 5000);
    const std::int64_t length = static_cast<std::int64_t>(random >> 32) % 5000;
    const absl::StatusOr<std::string> read =
        store_->ReadRange(kRoot + name, offset, length);
    const std::optional<std::string>& want = model_[name];
    if (read.ok()) {
      ASSERT_TRUE(want.has_value());
      EXPECT_EQ(*read, offset >= static_cast<std::int64_t>(want->size())
                           ? ""
                           : want->substr(offset, length));
    } else if (absl::IsNotFound(read.status())) {
      EXPECT_FALSE(want.has_value()) << read.status();
    } else {
      CheckError(read.status(), name);
    }
  }

  // One of another's versions, whole.
  void ReadContested() {
    const auto read = store_->Read(absl::StrCat(kRoot, kOthers));
    if (read.ok() && !read->empty()) {
      EXPECT_EQ(read->find_first_not_of(read->front()), std::string::npos);
    } else if (!read.ok() && !absl::IsNotFound(read.status())) {
      EXPECT_NE(read.status().message().find(kOthers), std::string::npos);
    }
  }

  const std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  SimClock clock_;
  GcsDouble objects_;
  FaultyHttp* http_;  // the store's
  std::unique_ptr<ObjectStore> store_;
  std::map<std::string, std::optional<std::string>> model_;
  int errors_ = 0;
};

TEST(GcsFaults, NoScheduleGivesAWrongByte) {
  const std::int64_t schedules =
      testing::FromEnvironment("PODSIM_STORE_SCHEDULES", 50);
  const std::int64_t first = testing::FromEnvironment("PODSIM_STORE_SEED", 1);
  std::map<std::string, int> played;
  int errors = 0;
  for (std::int64_t seed = first; seed < first + schedules; ++seed) {
    SCOPED_TRACE(absl::StrCat("PODSIM_STORE_SEED=", seed));
    Schedule schedule(static_cast<std::uint64_t>(seed));
    schedule.Run();
    if (::testing::Test::HasFailure()) return;
    for (const auto& [fault, times] : schedule.played()) played[fault] += times;
    errors += schedule.errors();
  }
  std::string summary;
  for (const auto& [fault, times] : played)
    absl::StrAppend(&summary, ", ", fault, " ", times);
  RecordProperty("summary", summary);
  std::printf("%ld schedules: exchanges%s; %d operations failed\n",
              static_cast<long>(schedules), summary.c_str() + 1, errors);
  EXPECT_EQ(played.size(), 12u) << "every kind of fault was played";
}

}  // namespace
}  // namespace podsim
