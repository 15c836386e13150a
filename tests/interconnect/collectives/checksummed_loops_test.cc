// Beside the loops that do one thing after the other: the same bits, of any
// floats, and nothing beyond what they say is done.
#include "interconnect/collectives/checksummed_loops.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/wide_crc.h"
#include "interconnect/collectives/reduce_loops.h"

namespace podsim {
namespace {

using Bytes = std::vector<std::byte>;

struct Memory {
  Bytes received, mine, onward;
  std::uint32_t received_crc = 17;  // as if something had come before
  std::uint32_t result_crc = 23;

  bool operator==(const Memory&) const = default;
  Checksums crc() { return {&received_crc, &result_crc}; }
};

// Any floats; every fiftieth one, from element `first` on, is `special` and no
// other one a NaN: of two NaNs no one promises which one remains.
Bytes AnyFloats(ElementType type, std::size_t count, std::size_t first,
                std::uint32_t special, std::mt19937& random) {
  const std::size_t size = SizeOf(type);
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(random()) & ~0x40000000U;
    if (i % 50 == first) bits = special;
    std::memcpy(bytes.data() + i * size,
                reinterpret_cast<const char*>(&bits) + sizeof(bits) - size,
                size);
  }
  return bytes;
}

struct alignas(64) Line {
  std::byte bytes[64] = {};
};

constexpr auto kFloat = ElementType::kFloat32;
constexpr auto kNarrow = ElementType::kBfloat16;
using LoopsOf = const ChecksummedLoops& (*)(const ElementRules& rules);

// A form of a sum: one thing after the other and at once.
struct Form {
  std::string name;
  ElementType wire;
  LoopsOf loops;
  ChecksummedLoop ChecksummedLoops::*at_once;
  bool combines;  // into mine, nothing goes onward
  bool keeps;     // what goes onward in mine
};

std::vector<Form> AllForms() {
  using Loops = ChecksummedLoops;
  return {
      {"Into", kFloat, &ChecksummedLoopsFor, &Loops::combine, true, true},
      {"Onward", kFloat, &ChecksummedLoopsFor, &Loops::onward, false, false},
      {"LanesInto", kFloat, &LaneLoopsFor, &Loops::combine, true, true},
      {"LanesOnward", kFloat, &LaneLoopsFor, &Loops::onward, false, false},
      {"NarrowOnward", kNarrow, &LaneLoopsFor, &Loops::onward, false, false},
      {"NarrowShared", kNarrow, &LaneLoopsFor, &Loops::shared, false, true}};
}

ElementRules RulesOf(const Form& form) {
  return {ElementType::kFloat32, ReductionOp::kSum, form.wire};
}

// The first `bytes` bytes of the wire, the slow way.
void OneAfterTheOther(const Form& form, std::size_t bytes, std::size_t offset,
                      Memory& memory) {
  const ReduceLoops& loops = LoopsFor(RulesOf(form));
  const std::size_t count = bytes / SizeOf(form.wire);
  const std::size_t op = IndexOf(ReductionOp::kSum);
  const std::byte* const received = memory.received.data() + offset;
  memory.received_crc = Crc32c({received, bytes}, memory.received_crc);
  std::span<const std::byte> result(memory.onward.data(), bytes);
  if (form.combines) {
    loops.combine[op](received, memory.mine.data(), count);
    result = {memory.mine.data(), 4 * count};
  } else {
    (form.keeps ? loops.shared : loops.onward)[op](received, memory.mine.data(),
                                                   memory.onward.data(), count);
  }
  memory.result_crc = Crc32c(result, memory.result_crc);
}

class ChecksummedLoopsTest : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(Forms, ChecksummedLoopsTest,
                         ::testing::ValuesIn(AllForms()),
                         [](const auto& info) { return info.param.name; });

TEST_P(ChecksummedLoopsTest, DoTheSameAtOnce) {
  const Form& form = GetParam();
  const ChecksummedLoop loop = form.loops(RulesOf(form)).*form.at_once;
  if (!__builtin_cpu_supports("vpclmulqdq")) {
    EXPECT_EQ(loop, nullptr);
    return;
  }
  ASSERT_NE(loop, nullptr);
  std::mt19937 random(5);
  for (const std::size_t elements : {0, 1, 1000, 3168, 10'000, 50'003}) {
    for (const std::size_t offset : {0, 1, 6, 31}) {
      SCOPED_TRACE(::testing::Message()
                   << elements << " elements at " << offset);
      const std::size_t bytes = elements * SizeOf(form.wire);
      Memory before = {
          .received = AnyFloats(form.wire, elements, 3, 0xff812345, random),
          .mine =
              AnyFloats(ElementType::kFloat32, elements, 7, 0x7f801234, random),
          .onward = Bytes(bytes, std::byte{77})};
      before.received.insert(before.received.begin(), offset, std::byte{1});
      Memory got = before;
      const std::size_t done =
          loop(got.received.data() + offset, got.mine.data(),
               form.combines ? got.mine.data() : got.onward.data(), bytes,
               got.crc());
      EXPECT_LE(done, bytes);
      EXPECT_LT(bytes - done, std::size_t{16} << 10);
      Memory want = before;
      OneAfterTheOther(form, done, offset, want);
      EXPECT_TRUE(got == want);
    }
  }
}

// Bytes of any kind, stored into places of any alignment.
TEST(ChecksummedCopies, CopyAndChecksumAtOnce) {
  std::mt19937 random(7);
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kInt32}) {
    const ChecksummedCopies& copies =
        ChecksummedCopiesFor({type, ReductionOp::kSum, type});
    for (const std::size_t bytes : {0, 255, 256, 4100, 70'000}) {
      for (const std::size_t offset : {0, 4, 32, 64}) {
        for (const auto& [loop, onward] : {std::pair{copies.copy[0], false},
                                           {copies.copy[1], false},
                                           {copies.onward[0], true},
                                           {copies.onward[1], true}}) {
          if (!CpuIsWide()) {
            ASSERT_EQ(loop, nullptr);
            continue;
          }
          const Bytes received =
              AnyFloats(kFloat, bytes / 4 + 1, 3, 0xff812345, random);
          // From a line on, as streaming stores ask for it.
          std::vector<Line> lines((bytes + offset) / 64 + 2);
          std::byte* const mine =
              reinterpret_cast<std::byte*>(lines.data()) + offset;
          Bytes passed(bytes + 1, std::byte{77});
          std::uint32_t crc = 17;
          const std::size_t done =
              loop(received.data() + 1, mine, onward ? passed.data() : mine,
                   bytes, {&crc, nullptr});
          const bool streams =
              loop == copies.copy[1] || loop == copies.onward[1];
          EXPECT_EQ(done, streams && offset % 64 != 0 ? 0 : bytes / 256 * 256);
          EXPECT_EQ(crc, Crc32c({received.data() + 1, done}, 17));
          EXPECT_EQ(std::memcmp(mine, received.data() + 1, done), 0);
          EXPECT_EQ(mine[done], std::byte{0});
          if (!onward) continue;
          EXPECT_EQ(std::memcmp(passed.data(), received.data() + 1, done), 0);
          EXPECT_EQ(passed[done], std::byte{77});
        }
      }
    }
  }
  EXPECT_EQ(ChecksummedCopiesFor({kFloat, ReductionOp::kSum, kNarrow}).copy[0],
            nullptr);
}

TEST(ChecksummedLoops, AreForFloatSumsAlone) {
  for (const ReductionOp op :
       {ReductionOp::kProd, ReductionOp::kMin, ReductionOp::kMax}) {
    EXPECT_EQ(ChecksummedLoopsFor({ElementType::kFloat32, op}).combine,
              nullptr);
  }
  for (const ElementType type : {ElementType::kInt32, ElementType::kBfloat16}) {
    EXPECT_EQ(ChecksummedLoopsFor({type, ReductionOp::kSum, type}).combine,
              nullptr);
  }
}

}  // namespace
}  // namespace podsim
