#include "host/storage/object_lease.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "host/storage/wrapper.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kFailed = absl::StatusCode::kFailedPrecondition;
constexpr char kDir[] = "/m";

bool NobodyIsGone(const LockRecord&) { return false; }
bool AllAreGone(const LockRecord&) { return true; }

class ObjectLeaseTest : public ::testing::Test {
 protected:
  // While somebody waits, `meanwhile` happens once a look.
  ObjectLease::Options Options(bool gone = false) {
    return {.waiter = {.now = [this] { return clock_.Now(); },
                       .wait =
                           [this](absl::Duration span) {
                             clock_.Advance(span);
                             if (meanwhile_) meanwhile_();
                           }},
            .is_gone = gone ? &AllAreGone : &NobodyIsGone};
  }
  absl::StatusOr<std::unique_ptr<ObjectLease>> Acquire(bool gone = false) {
    return ObjectLease::Acquire(*store_, kDir, Options(gone));
  }

  std::unique_ptr<ObjectStore> store_ = NewMemoryStoreWithoutRename();
  SimClock clock_;
  std::function<void()> meanwhile_;
};

TEST_F(ObjectLeaseTest, ARecordIsReadAsItWasWritten) {
  const LeaseRecord record{.holder = NewLockRecord(),
                           .turn = 2,
                           .beat = 41,
                           .change = "commit 300 1785\nx=y"};
  EXPECT_EQ(ParseLease(LeaseText(record)), record);
  for (const char* text : {"", "host=a\n", "pid=1\nsince=1\nstarted=1\nid=x\n",
                           "pid=1\nsince=1\nstarted=1\nid=x\nturn=1\n",
                           "pid=1\nsince=1\nstarted=1\nid=x\nturn=1\nbeat=z\n"})
    EXPECT_FALSE(ParseLease(text).has_value()) << text;
}

TEST_F(ObjectLeaseTest, AHolderThatGivesSignsOfLifeKeepsIt) {
  ASSERT_OK_AND_ASSIGN(const auto holder, Acquire());
  const absl::Time begin = clock_.Now();
  meanwhile_ = [&] { EXPECT_THAT(holder->Renew(), IsOk()); };
  EXPECT_THAT(Acquire(),
              StatusIs(kFailed, AllOf(HasSubstr("/m is held by pid "),
                                      HasSubstr("give another directory"))));
  EXPECT_LE(clock_.Now() - begin, absl::Seconds(1)) << "one look was enough";
  EXPECT_THAT(holder->Announce("commit 1 2"), IsOk());
}

TEST_F(ObjectLeaseTest, ASilentHolderIsTakenOverAndLearnsOfIt) {
  ASSERT_OK_AND_ASSIGN(const auto stopped, Acquire());
  ASSERT_THAT(stopped->Announce("commit 300 1785"), IsOk());
  const absl::Time begin = clock_.Now();
  ASSERT_OK_AND_ASSIGN(const auto next, Acquire());
  EXPECT_GE(clock_.Now() - begin, kLockLease);
  EXPECT_EQ(next->change(), "commit 300 1785") << "to be finished";
  const auto taken_over =
      StatusIs(kFailed, AllOf(HasSubstr("/m/.podsim-lease was taken over"),
                              HasSubstr("no sign of life")));
  EXPECT_THAT(stopped->Renew(), taken_over);
  EXPECT_THAT(stopped->Announce("retire 200 5"), taken_over);
  ASSERT_THAT(stopped->Release(), IsOk()) << "which frees nothing";
  ASSERT_THAT(next->Announce(""), IsOk());
  ASSERT_THAT(next->Renew(), IsOk());
  EXPECT_THAT(stopped->Renew(), taken_over);
}

TEST_F(ObjectLeaseTest, WhoWasTakenOverIsToldByWhom) {
  ASSERT_OK_AND_ASSIGN(const auto stopped, Acquire());
  ASSERT_OK_AND_ASSIGN(const std::string text,
                       store_->Read("/m/.podsim-lease"));
  auto record = ParseLease(text);
  ASSERT_TRUE(record.has_value());
  record->holder.pid = 4711;
  record->holder.host = "node-b";
  record->holder.id = "another";
  ASSERT_THAT(store_->Write("/m/.podsim-lease", LeaseText(*record)), IsOk());
  const auto named =
      StatusIs(kFailed, HasSubstr("taken over by pid 4711 on node-b"));
  EXPECT_THAT(stopped->Renew(), named);
  EXPECT_THAT(stopped->Announce("commit 300 1785"), named);
}

TEST_F(ObjectLeaseTest, OneThatIsGoneFromThisMachineIsTakenOverAtOnce) {
  ASSERT_OK_AND_ASSIGN(const auto gone, Acquire());
  const absl::Time begin = clock_.Now();
  ASSERT_THAT(Acquire(/*gone=*/true), IsOk());
  EXPECT_EQ(clock_.Now(), begin);
  EXPECT_THAT(gone->Renew(), StatusIs(kFailed, HasSubstr("taken over")));
}

TEST_F(ObjectLeaseTest, AFreedOneIsFree) {
  ASSERT_OK_AND_ASSIGN(const auto first, Acquire());
  ASSERT_THAT(first->Release(), IsOk());
  const absl::Time begin = clock_.Now();
  ASSERT_THAT(Acquire(), IsOk());
  EXPECT_EQ(clock_.Now(), begin);
}

TEST_F(ObjectLeaseTest, OneThatIsFreedWhileSomebodyWaitsIsFree) {
  ASSERT_OK_AND_ASSIGN(const auto first, Acquire());
  meanwhile_ = [&] { EXPECT_THAT(first->Release(), IsOk()); };
  ASSERT_OK_AND_ASSIGN(const auto second, Acquire());
  EXPECT_NE(second->id(), first->id());
}

TEST_F(ObjectLeaseTest, WithAChangeNotMadeItStaysBehind) {
  ASSERT_OK_AND_ASSIGN(const auto first, Acquire());
  ASSERT_THAT(first->Announce("commit 300 1785"), IsOk());
  ASSERT_THAT(first->Release(), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto second, Acquire(/*gone=*/true));
  EXPECT_EQ(second->change(), "commit 300 1785");
}

TEST_F(ObjectLeaseTest, AChildHasItInsteadOfItsParentAndOfEarlierChildren) {
  ASSERT_OK_AND_ASSIGN(const auto parent, Acquire());
  ASSERT_OK_AND_ASSIGN(const auto first,
                       ObjectLease::Join(*store_, kDir, parent->id()));
  ASSERT_THAT(first->Renew(), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto second,
                       ObjectLease::Join(*store_, kDir, parent->id()));
  EXPECT_THAT(first->Announce("commit 1 2"),
              StatusIs(kFailed, HasSubstr("taken over")));
  ASSERT_THAT(second->Announce(""), IsOk());
  EXPECT_THAT(ObjectLease::Join(*store_, kDir, "another"),
              StatusIs(kFailed, HasSubstr("held by pid")));
  ASSERT_THAT(parent->Release(), IsOk());
  EXPECT_THAT(store_->Read("/m/.podsim-lease"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("lease")));
  EXPECT_THAT(second->Renew(), StatusIs(kFailed, HasSubstr("taken over")));
}

TEST_F(ObjectLeaseTest, OneThatIsGoneSaysSo) {
  ASSERT_OK_AND_ASSIGN(const auto lease, Acquire());
  ASSERT_THAT(store_->Delete("/m/.podsim-lease"), IsOk());
  EXPECT_THAT(lease->Renew(),
              StatusIs(kFailed, AllOf(HasSubstr("/m/.podsim-lease is gone"),
                                      HasSubstr("deleted by hand"))));
}

// Asks before each write whether it is made.
class AskingStore final : public ObjectStoreWrapper, public ConditionalObjects {
 public:
  explicit AskingStore(ObjectStore* base)
      : ObjectStoreWrapper(base), base_(base) {}
  std::function<absl::Status()> before;

  ConditionalObjects* Conditional(std::string_view) override { return this; }
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    return base_->Conditional(directory)->ListTree(directory);
  }
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    return base_->Conditional(path)->ReadVersion(path);
  }
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    if (const auto asked = before) PODSIM_RETURN_IF_ERROR(asked());
    return base_->Conditional(path)->WriteIf(path, bytes, expected);
  }
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    return base_->Conditional(path)->DeleteIf(path, expected);
  }
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    return base_->Conditional(from)->CopyIf(from, to, expected);
  }

 private:
  ObjectStore* const base_;
};

TEST_F(ObjectLeaseTest, ARefusalIsNoTakeover) {
  AskingStore store(store_.get());
  ASSERT_OK_AND_ASSIGN(const auto lease,
                       ObjectLease::Acquire(store, kDir, Options()));
  store.before = [] { return absl::AbortedError("another was first"); };
  EXPECT_THAT(lease->Renew(), StatusIs(absl::StatusCode::kUnavailable,
                                       HasSubstr("though this job holds it")));
  store.before = nullptr;
  EXPECT_THAT(lease->Renew(), IsOk());
}

// Of two that see the same silent holder, one.
TEST_F(ObjectLeaseTest, OneOfTwoTakersHasIt) {
  ASSERT_OK_AND_ASSIGN(const auto gone, Acquire());
  absl::StatusOr<std::unique_ptr<ObjectLease>> other =
      absl::UnknownError("not yet");
  // Wins between the first one's last look and its write.
  AskingStore overtaken(store_.get());
  overtaken.before = [&] {
    overtaken.before = nullptr;
    other = Acquire(/*gone=*/true);
    meanwhile_ = [&] { EXPECT_THAT((*other)->Renew(), IsOk()); };
    return absl::OkStatus();
  };
  EXPECT_THAT(ObjectLease::Acquire(overtaken, kDir, Options(/*gone=*/false)),
              StatusIs(kFailed, HasSubstr("held by")));
  ASSERT_THAT(other, IsOk());
  EXPECT_THAT((*other)->Renew(), IsOk());
}

// A write that was made and whose answer was lost is this holder's own.
TEST_F(ObjectLeaseTest, ALostAnswerLosesNoLease) {
  ASSERT_OK_AND_ASSIGN(const auto lease, Acquire());
  ASSERT_OK_AND_ASSIGN(const std::string text,
                       store_->Read("/m/.podsim-lease"));
  auto record = ParseLease(text);
  ASSERT_TRUE(record.has_value());
  ++record->beat;
  ASSERT_THAT(store_->Write("/m/.podsim-lease", LeaseText(*record)), IsOk());
  EXPECT_THAT(lease->Renew(), IsOk());
  EXPECT_THAT(lease->Renew(), IsOk());
}

}  // namespace
}  // namespace podsim
