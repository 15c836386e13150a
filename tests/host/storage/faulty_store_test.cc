#include "host/storage/faulty_store.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FaultyStoreTest : public ::testing::Test {
 protected:
  const std::unique_ptr<ObjectStore> memory_ = NewMemoryStore();
  FaultyStore store_{memory_.get()};
};

TEST_F(FaultyStoreTest, FailsTheOneWriteThatWasNamed) {
  ASSERT_THAT(store_.Write("/a", "old"), IsOk());
  store_.FailNextWrite(absl::ResourceExhaustedError("No space left"), 1);
  EXPECT_THAT(store_.Write("/b", "b"), IsOk());
  EXPECT_EQ(store_.faults(), 0);
  EXPECT_THAT(store_.Write("/a", "new"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("/a"), HasSubstr("No space left"))));
  EXPECT_EQ(store_.faults(), 1);
  ASSERT_OK_AND_ASSIGN(const std::string read, store_.Read("/a"));
  EXPECT_EQ(read, "old");
  EXPECT_THAT(store_.Write("/a", "new"), IsOk());
}

TEST_F(FaultyStoreTest, TearsAWriteAndSaysOk) {
  store_.TearNextWrite(3);
  EXPECT_THAT(store_.Write("/a", "0123456"), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string read, store_.Read("/a"));
  EXPECT_EQ(read, "012");
  EXPECT_EQ(store_.faults(), 1);
}

TEST_F(FaultyStoreTest, StopsBetweenOperations) {
  ASSERT_THAT(store_.Write("/d/a", "a"), IsOk());
  store_.StopAfter(2);
  EXPECT_THAT(store_.Write("/d/b", "b"), IsOk());
  EXPECT_THAT(store_.Rename("/d", "/e"), IsOk());
  EXPECT_EQ(store_.operations(), 3);
  const auto stopped =
      StatusIs(absl::StatusCode::kCancelled, HasSubstr("stopped"));
  EXPECT_THAT(store_.Delete("/e/a"), stopped);
  EXPECT_THAT(store_.DeleteTree("/e"), stopped);
  EXPECT_THAT(store_.Write("/e/c", ""), stopped);
  EXPECT_THAT(store_.Rename("/e", "/f"), stopped);
  EXPECT_THAT(store_.Read("/e/a"), stopped);
  EXPECT_THAT(store_.ReadRange("/e/a", 0, 1), stopped);
  EXPECT_THAT(store_.Size("/e/a"), stopped);
  EXPECT_THAT(store_.List("/e"), stopped);
  ASSERT_OK_AND_ASSIGN(const auto names, memory_->List("/e"));
  EXPECT_THAT(names, ElementsAre("a", "b"));
}

TEST_F(FaultyStoreTest, StopsInTheMiddleOfATree) {
  for (const char* name : {"/d/a", "/d/b", "/d/c/x"})
    ASSERT_THAT(store_.Write(name, name), IsOk());
  store_.StopAfter(1);
  EXPECT_THAT(store_.DeleteTree("/d"),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("stopped")));
  ASSERT_OK_AND_ASSIGN(const auto names, memory_->List("/d"));
  EXPECT_THAT(names, ElementsAre("b", "c/"));
}

TEST_F(FaultyStoreTest, CountsRightlyFromManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 50;
  for (int i = 0; i < 10; ++i)
    store_.FailNextWrite(absl::UnavailableError("on purpose"), 7 * i);
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kWrites; ++i)
        static_cast<void>(store_.Write(absl::StrCat("/", t, "-", i), "x"));
    });
  }
  threads.clear();
  EXPECT_EQ(store_.operations(), kThreads * kWrites);
  EXPECT_EQ(store_.faults(), 10);
  ASSERT_OK_AND_ASSIGN(const auto names, memory_->List("/"));
  EXPECT_EQ(names.size(), kThreads * kWrites - 10);
}

}  // namespace
}  // namespace podsim
