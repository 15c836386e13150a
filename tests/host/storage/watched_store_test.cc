#include "host/storage/watched_store.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "host/storage/wrapper.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;

TEST(StoreWatch, TellsOfTheOldestCall) {
  StoreWatch watch;
  const absl::Time start = absl::UnixEpoch();
  const auto wait = [&](int seconds) {
    return watch.longest_wait(start + absl::Seconds(seconds));
  };
  EXPECT_EQ(wait(9), absl::ZeroDuration());
  watch.Begin(start + absl::Seconds(1));
  watch.Begin(start + absl::Seconds(1));
  watch.Begin(start + absl::Seconds(4));
  EXPECT_EQ(wait(9), absl::Seconds(8));
  EXPECT_EQ(wait(0), absl::ZeroDuration());  // a clock that was set back
  watch.End(start + absl::Seconds(1));
  EXPECT_EQ(wait(9), absl::Seconds(8));
  watch.End(start + absl::Seconds(1));
  EXPECT_EQ(wait(9), absl::Seconds(5));
  watch.End(start + absl::Seconds(4));
  EXPECT_EQ(wait(9), absl::ZeroDuration());
}

// Notes whether it is watched while it is called.
class Looking final : public ObjectStoreWrapper {
 public:
  Looking(ObjectStore* base, const StoreWatch* watch)
      : ObjectStoreWrapper(base), watch_(*watch) {}
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    seen = watch_.longest_wait(absl::InfiniteFuture()) > absl::ZeroDuration();
    return ObjectStoreWrapper::Stat(path);
  }
  bool seen = false;

 private:
  const StoreWatch& watch_;
};

bool IsWatched(ObjectStore& base, const std::string& path) {
  StoreWatch watch;
  auto looking = std::make_unique<Looking>(&base, &watch);
  const Looking& look = *looking;
  const auto store = WatchStore(std::move(looking), &watch);
  EXPECT_THAT(store->Write(path, "x"), IsOk());
  EXPECT_EQ(*store->Size(path), 1);
  EXPECT_EQ(*store->Read(path), "x");
  EXPECT_EQ(store->ReadRange(path, 0, 1).value(), "x");
  EXPECT_EQ(watch.longest_wait(absl::InfiniteFuture()), absl::ZeroDuration());
  EXPECT_EQ(watch.done(), 4);
  return look.seen;
}

TEST(WatchedStore, WatchesWhatIsNoFileOfThisMachine) {
  EXPECT_TRUE(IsWatched(*NewMemoryStore(), "/a/b"));
  const testing::TempDir dir;
  EXPECT_FALSE(IsWatched(*NewLocalStore(), dir.file("b")));
}

}  // namespace
}  // namespace podsim
