// Which readers are open.
#include "host/input/open_spans.h"

#include <memory>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

constexpr OpenSpans::Name kFirst = {.file = 0, .span = 0};
constexpr OpenSpans::Name kSecond = {.file = 1, .span = 0};
constexpr OpenSpans::Name kThird = {.file = 0, .span = 1};

using Weak = std::weak_ptr<OpenSpans::Reader>;

TEST(OpenSpans, AreNoMoreThanAllowed) {
  OpenSpans open(2);
  const Weak first = open.Use(kFirst);
  const Weak second = open.Use(kSecond);
  EXPECT_FALSE(first.expired());
  EXPECT_NE(first.lock(), second.lock());
  EXPECT_EQ(open.Use(kFirst), first.lock());
  const Weak third = open.Use(kThird);
  EXPECT_TRUE(second.expired()) << "the longest unused";
  EXPECT_EQ(open.size(), 2);
  EXPECT_EQ(open.Use(kFirst), first.lock());
  open.Close(third.lock());
  EXPECT_EQ(open.size(), 1);
  EXPECT_TRUE(third.expired());
}

TEST(OpenSpans, ThoseThatAreUsedStay) {
  OpenSpans open(2);
  auto first = open.Use(kFirst);
  const auto second = open.Use(kSecond);
  const Weak third = open.Use(kThird);
  EXPECT_EQ(open.size(), 3);
  EXPECT_EQ(open.Use(kFirst), first);
  EXPECT_EQ(open.Use(kSecond), second);
  EXPECT_EQ(open.Use(kThird), third.lock());
  first = nullptr;
  const Weak fourth = open.Use({.file = 3, .span = 3});
  EXPECT_EQ(open.size(), 2) << "second and fourth";
  EXPECT_TRUE(third.expired());
  EXPECT_EQ(open.Use(kSecond), second);
  EXPECT_EQ(open.Use({.file = 3, .span = 3}), fourth.lock());
}

TEST(OpenSpans, OneThatWasClosedMakesRoomForItsLike) {
  OpenSpans open(2);
  const auto first = open.Use(kFirst);
  open.Close(first);
  EXPECT_EQ(open.size(), 0);
  const auto again = open.Use(kFirst);
  EXPECT_NE(again, first);
  open.Close(first);
  EXPECT_EQ(open.size(), 1) << "it was closed before";
}

}  // namespace
}  // namespace podsim
