// Beside the copies that go through the caches: the same bytes, wherever the
// buffer begins in a line and ends, and nothing written beyond it.
#include "interconnect/collectives/streaming_copies.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace podsim {
namespace {

using Bytes = std::vector<std::byte>;

std::vector<ElementRules> AllTypes() {
  constexpr auto kSum = ReductionOp::kSum;
  return {{ElementType::kFloat32, kSum, ElementType::kFloat32},
          {ElementType::kInt32, kSum, ElementType::kInt32},
          {ElementType::kBfloat16, kSum, ElementType::kBfloat16},
          {ElementType::kFloat32, kSum, ElementType::kBfloat16}};
}

class StreamingCopies : public ::testing::TestWithParam<ElementRules> {};
INSTANTIATE_TEST_SUITE_P(Types, StreamingCopies,
                         ::testing::ValuesIn(AllTypes()), [](const auto& info) {
                           return std::string(NameOf(info.param.type)) +
                                  "From" + std::string(NameOf(info.param.wire));
                         });

Bytes AnyBytes(std::size_t count, std::mt19937& random) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_P(StreamingCopies, AreWhatOtherCopiesAre) {
  const ElementRules& rules = GetParam();
  const StreamingCopy copy = StreamingCopyFor(rules, /*onward=*/false);
  const StreamingCopy share = StreamingCopyFor(rules, /*onward=*/true);
  if (!__builtin_cpu_supports("avx2")) {
    EXPECT_EQ(copy, nullptr);
    EXPECT_EQ(share, nullptr);
    return;
  }
  const ReduceLoops& loops = LoopsFor(rules);
  const std::size_t size = SizeOf(rules.type);
  std::mt19937 random(9);
  for (const std::size_t count : {0, 1, 15, 16, 17, 31, 33, 64, 1000}) {
    for (std::size_t at = 0; at < 64; at += size) {  // in the first line
      SCOPED_TRACE(::testing::Message() << count << " elements at " << at);
      const Bytes received = AnyBytes(count * SizeOf(rules.wire) + 1, random);
      const std::byte* const from = received.data() + at / size % 2;
      const Bytes before = AnyBytes(at + count * size + 64, random);
      const Bytes onward_before = AnyBytes(received.size() + 64, random);
      Bytes want = before;
      Bytes want_onward = onward_before;
      loops.shared[ReduceLoops::kCopy](from, want.data() + at,
                                       want_onward.data(), count);
      Bytes got = before;
      copy(from, got.data() + at, nullptr, count);
      EXPECT_TRUE(got == want);
      got = before;
      Bytes got_onward = onward_before;
      share(from, got.data() + at, got_onward.data(), count);
      EXPECT_TRUE(got == want);
      EXPECT_TRUE(got_onward == want_onward);
    }
  }
}

}  // namespace
}  // namespace podsim
