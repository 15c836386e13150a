#include "host/input/byte_source.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::IsOk;
using ::testing::IsEmpty;

TEST(ByteSource, PassesOverPackedBytes) {
  const auto store = NewMemoryStore();
  std::string whole;
  for (int i = 0; i < 400'000; ++i) absl::StrAppend(&whole, i, ",");
  // Two gzip members in a row are one file.
  const std::string packed =
      Gzip(whole.substr(0, 1000)) + Gzip(whole.substr(1000));
  ASSERT_THAT(store->Write("/f", packed), IsOk());
  EXPECT_EQ(PackingOf(packed), Packing::kPacked);
  const auto source = OpenSource(
      {.path = "/f", .bytes = static_cast<std::int64_t>(packed.size())},
      Packing::kPacked, *store);
  ASSERT_THAT(source->Skip(999), IsOk());
  ASSERT_OK_AND_ASSIGN(std::string_view some, source->Peek(5));
  EXPECT_EQ(some, whole.substr(999, 5));
  ASSERT_THAT(source->Skip(1'500'000), IsOk());
  ASSERT_OK_AND_ASSIGN(some, source->Peek(300'000));
  EXPECT_EQ(some, whole.substr(1'500'999, 300'000));
  ASSERT_THAT(source->Skip(std::int64_t{1} << 40), IsOk());
  EXPECT_EQ(source->offset(), static_cast<std::int64_t>(whole.size()));
  ASSERT_OK_AND_ASSIGN(some, source->Peek(1));
  EXPECT_THAT(some, IsEmpty());
}

}  // namespace
}  // namespace podsim
