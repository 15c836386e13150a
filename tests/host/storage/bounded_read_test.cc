// A bound on what is read holds, and a small file costs one request.
#include "host/storage/bounded_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "host/storage/wrapper.h"
#include "tests/host/storage/counting_store.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

// Says of no object how large it is.
class NoSizes final : public ObjectStoreWrapper {
 public:
  using ObjectStoreWrapper::ObjectStoreWrapper;
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    return absl::UnavailableError(absl::StrCat("look at ", std::string(path)));
  }
};

class ReadAtMostTest : public ::testing::TestWithParam<std::int64_t> {
 protected:
  std::string WithBytes(std::int64_t bytes) {
    const std::string path = absl::StrCat("/file", bytes);
    EXPECT_THAT(memory_->Write(path, std::string(bytes, 'x')), IsOk());
    return path;
  }

  const std::unique_ptr<ObjectStore> memory_ = NewMemoryStore();
  testing::CountingStore store_{memory_.get()};
};

// Beneath and beyond what is read before its size is known.
INSTANTIATE_TEST_SUITE_P(Bounds, ReadAtMostTest,
                         ::testing::Values(1, 4096, std::int64_t{4} << 20,
                                           std::int64_t{20} << 20));

TEST_P(ReadAtMostTest, TakesWhatHasAsMuchAndNothingMore) {
  const std::int64_t most = GetParam();
  for (const std::int64_t bytes : {std::int64_t{0}, most - 1, most}) {
    ASSERT_OK_AND_ASSIGN(const std::string text,
                         ReadAtMost(store_, WithBytes(bytes), most));
    EXPECT_EQ(text, std::string(bytes, 'x'));
  }
  EXPECT_THAT(ReadAtMost(store_, WithBytes(most + 1), most),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr(" has ")));
  EXPECT_THAT(ReadAtMost(store_, "/nowhere", most),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
}

TEST_P(ReadAtMostTest, ReadsLittleOfWhatIsLarge) {
  const std::string large = WithBytes(std::int64_t{40} << 20);
  EXPECT_THAT(ReadAtMost(store_, large, GetParam()),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("40")));
  EXPECT_LE(store_.read, GetParam() + 1);
}

TEST_P(ReadAtMostTest, AsksForTheSizeOnlyIfMuchMayCome) {
  NoSizes store(memory_.get());
  EXPECT_EQ(ReadAtMost(store, WithBytes(1), GetParam()).ok(),
            GetParam() < std::int64_t{8} << 20);
}

}  // namespace
}  // namespace podsim
