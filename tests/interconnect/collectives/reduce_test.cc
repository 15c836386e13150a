// The inner loops, over parts cut at every kind of place, and the set of used
// sequences.
#include "interconnect/collectives/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "interconnect/collectives/sequence_set.h"

namespace podsim {
namespace {

using Values = std::vector<std::uint32_t>;  // bits, whatever the type

// `values` as elements of `type`, in memory that begins `offset` bytes past an
// aligned address, cut into parts of random lengths (0 among them).
struct CutBytes {
  CutBytes(const Values& values, ElementType type, std::size_t offset,
           std::mt19937& random)
      : memory(values.size() * SizeOf(type) + offset) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(memory.data() + offset + i * SizeOf(type), &values[i],
                  SizeOf(type));
    }
    std::size_t at = offset;
    while (at < memory.size()) {
      const std::size_t length = std::min<std::size_t>(
          memory.size() - at,
          random() % 4 == 0 ? random() % 200 : random() % 7);
      parts.push_back({memory.data() + at, length});
      at += length;
    }
  }
  std::vector<std::byte> memory;
  ReceivedParts parts;
};

// Rounds to nearest, ties to even, the slow way: the nearer of the two
// bfloat16 values around `value`.
std::uint32_t SlowBfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return (bits >> 16) | 0x40;
  const std::uint32_t below = bits >> 16;  // towards zero
  const std::uint32_t above = below + 1;
  const double exact = std::fabs(static_cast<double>(value));
  const auto as_double = [](std::uint32_t stored) {
    const auto f = std::bit_cast<float>((stored & 0x7fff) << 16);
    // The value after the largest is where infinity begins.
    return std::isinf(f) ? std::ldexp(1.0, 128) : static_cast<double>(f);
  };
  if (std::isinf(value)) return below;
  const double down = exact - as_double(below);
  const double up = as_double(above) - exact;
  if (down != up) return down < up ? below : above;
  return below % 2 == 0 ? below : above;
}

float FromBfloat16(std::uint32_t stored) {
  return std::bit_cast<float>(stored << 16);
}

float AsFloat(ElementType type, std::uint32_t bits) {
  return type == ElementType::kBfloat16 ? FromBfloat16(bits)
                                        : std::bit_cast<float>(bits);
}

template <typename T>
T SlowOp(ReductionOp op, T received, T mine) {
  switch (op) {
    case ReductionOp::kSum:
      return received + mine;
    case ReductionOp::kProd:
      return received * mine;
    case ReductionOp::kMin:
      return std::min(received, mine);
    case ReductionOp::kMax:
      return std::max(received, mine);
  }
  return mine;
}

std::uint32_t SlowReduce(const ElementRules& rules, std::uint32_t received,
                         std::uint32_t mine) {
  if (rules.type == ElementType::kInt32) {
    if (rules.op == ReductionOp::kSum) return received + mine;
    if (rules.op == ReductionOp::kProd) return received * mine;
    return static_cast<std::uint32_t>(
        SlowOp(rules.op, static_cast<std::int32_t>(received),
               static_cast<std::int32_t>(mine)));
  }
  const float result = SlowOp(rules.op, AsFloat(rules.wire, received),
                              AsFloat(rules.type, mine));
  return rules.type == ElementType::kBfloat16
             ? SlowBfloat16(result)
             : std::bit_cast<std::uint32_t>(result);
}

// Numbers of many magnitudes; no NaN, whose payload no one promises.
std::uint32_t RandomBits(ElementType type, std::mt19937& random) {
  const auto value = static_cast<std::int32_t>(random());
  const float scaled = std::ldexp(static_cast<float>(value),
                                  static_cast<int>(random() % 60) - 45);
  if (type == ElementType::kInt32) return static_cast<std::uint32_t>(value);
  if (type == ElementType::kBfloat16) return SlowBfloat16(scaled);
  return std::bit_cast<std::uint32_t>(scaled);
}

std::vector<ElementRules> RulesToTry() {
  std::vector<ElementRules> all;
  for (const ReductionOp op : {ReductionOp::kSum, ReductionOp::kProd,
                               ReductionOp::kMin, ReductionOp::kMax}) {
    for (const ElementType type :
         {ElementType::kFloat32, ElementType::kBfloat16, ElementType::kInt32}) {
      all.push_back({type, op, type});
    }
    all.push_back({ElementType::kFloat32, op, ElementType::kBfloat16});
  }
  return all;
}

class Reduce : public ::testing::TestWithParam<ElementRules> {};
INSTANTIATE_TEST_SUITE_P(Rules, Reduce, ::testing::ValuesIn(RulesToTry()),
                         [](const auto& info) {
                           const ElementRules& rules = info.param;
                           return std::string(NameOf(rules.op)) +
                                  std::string(NameOf(rules.type)) + "From" +
                                  std::string(NameOf(rules.wire));
                         });

Values ReadBack(ElementType type, const std::vector<std::byte>& bytes) {
  Values values(bytes.size() / SizeOf(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&values[i], bytes.data() + i * SizeOf(type), SizeOf(type));
  }
  return values;
}

TEST_P(Reduce, EqualsTheSlowWayHoweverPartsAreCut) {
  const ElementRules rules = GetParam();
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    // Now and then enough for the loops that take blocks.
    const std::size_t count = random() % (seed % 3 == 0 ? 900 : 100);
    Values received;
    Values before;
    Values expected;
    Values copied;
    for (std::size_t i = 0; i < count; ++i) {
      received.push_back(RandomBits(rules.wire, random));
      before.push_back(RandomBits(rules.type, random));
      expected.push_back(SlowReduce(rules, received[i], before[i]));
      copied.push_back(rules.type == rules.wire ? received[i]
                                                : received[i] << 16);
    }
    const CutBytes parts(received, rules.wire, seed % 4, random);
    std::vector<std::byte> mine =
        CutBytes(before, rules.type, 0, random).memory;
    std::uint32_t crc = 0;
    std::uint32_t result = 0;
    const Checksums both = {&crc, &result};
    ReduceReceived(rules, parts.parts, mine,
                   seed % 2 == 0 ? both : Checksums{});
    EXPECT_EQ(ReadBack(rules.type, mine), expected);
    if (seed % 2 == 0) {
      EXPECT_EQ(result, Crc32c(mine));
    }
    result = 0;
    CopyReceived(rules, parts.parts, mine, seed % 2 == 1 ? both : Checksums{},
                 seed % 3 == 0 ? Stores::kStreaming : Stores::kCached);
    if (seed % 2 == 1) {
      EXPECT_EQ(result, Crc32c(mine));
    }
    EXPECT_EQ(ReadBack(rules.type, mine), copied);
    EXPECT_EQ(crc, Crc32c(std::span(parts.memory).subspan(seed % 4)));

    if (rules.type != rules.wire) continue;
    mine = CutBytes(before, rules.type, 0, random).memory;
    const auto other = CutBytes(received, rules.type, 0, random).memory;
    ReduceLocal(rules, other, mine);
    EXPECT_EQ(ReadBack(rules.type, mine), expected);
  }
}

// What goes onto the wire, with and without the buffer.
TEST_P(Reduce, OnwardIsWhatTheWireWouldCarry) {
  const ElementRules rules = GetParam();
  const bool narrow = rules.type != rules.wire;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::size_t count = random() % 100;
    Values received;
    Values before;
    Values onward;  // as sent
    Values shared;  // the same as an element of the buffer
    Values copied;
    for (std::size_t i = 0; i < count; ++i) {
      received.push_back(RandomBits(rules.wire, random));
      before.push_back(RandomBits(rules.type, random));
      const std::uint32_t sum = SlowReduce(rules, received[i], before[i]);
      onward.push_back(narrow ? SlowBfloat16(std::bit_cast<float>(sum)) : sum);
      shared.push_back(narrow ? onward[i] << 16 : sum);
      copied.push_back(narrow ? received[i] << 16 : received[i]);
    }
    const CutBytes parts(received, rules.wire, seed % 4, random);
    const std::vector<std::byte> old =
        CutBytes(before, rules.type, 0, random).memory;
    std::vector<std::byte> mine = old;
    std::vector<std::byte> out(count * SizeOf(rules.wire));
    const bool keep = seed % 2 == 0;
    std::uint32_t crc = 0;
    std::uint32_t result = 0;
    ReduceOnward(rules, parts.parts, mine, keep, out, {&crc, &result});
    EXPECT_EQ(ReadBack(rules.wire, out), onward);
    EXPECT_EQ(ReadBack(rules.type, mine), keep ? shared : before);
    EXPECT_EQ(crc, Crc32c(std::span(parts.memory).subspan(seed % 4)));
    EXPECT_EQ(result, Crc32c(out));
    crc = result = 0;
    CopyOnward(rules, parts.parts, mine, out, {&crc, &result},
               seed % 3 == 0 ? Stores::kStreaming : Stores::kCached);
    EXPECT_EQ(crc, Crc32c(std::span(parts.memory).subspan(seed % 4)));
    EXPECT_EQ(result, Crc32c(out));
    EXPECT_EQ(ReadBack(rules.wire, out), received);
    EXPECT_EQ(ReadBack(rules.type, mine), copied);
  }
}

// Longer than what is checksummed at a time.
TEST(ReduceReceived, ChecksumsLongPartsOnTheWay) {
  std::mt19937 random(3);
  std::vector<float> theirs(30'001);
  for (float& value : theirs) value = static_cast<float>(random() % 1000);
  const auto bytes = std::as_bytes(std::span(theirs));
  const ReceivedParts parts = {bytes.first(70'001), bytes.subspan(70'001)};
  std::vector<float> mine(theirs.size(), 1);
  std::uint32_t crc = 0;
  ReduceReceived({}, parts, std::as_writable_bytes(std::span(mine)), {&crc});
  EXPECT_EQ(crc, Crc32c(bytes));
  for (std::size_t i = 0; i < mine.size(); ++i) {
    ASSERT_EQ(mine[i], theirs[i] + 1) << i;
  }
  crc = 0;
  CopyReceived({}, parts, std::as_writable_bytes(std::span(mine)), {&crc});
  EXPECT_EQ(crc, Crc32c(bytes));
  EXPECT_EQ(mine, theirs);
}

TEST(RoundToWire, RoundsToNearestEvenAndKeepsOnRequest) {
  std::mt19937 random(11);
  std::vector<float> values = {0.0F,        -0.0F,       1.0F,
                               1.00390625F, 1.01171875F, 3.3961775e38F,
                               INFINITY,    -INFINITY,   1e-45F};
  for (int i = 0; i < 10000; ++i) {
    values.push_back(
        std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  const std::vector<float> before = values;
  for (const bool keep : {false, true}) {
    std::vector<std::uint16_t> wire(values.size());
    RoundToWire(std::as_writable_bytes(std::span(values)), keep,
                std::as_writable_bytes(std::span(wire)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(wire[i], SlowBfloat16(before[i])) << before[i];
      const float now = keep ? FromBfloat16(wire[i]) : before[i];
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]),
                std::bit_cast<std::uint32_t>(now));
    }
  }
}

TEST(ReduceDeathTest, WrongLengthsAreOurOwnBug) {
  const std::vector<float> two(2);
  std::vector<float> one(1);
  const auto mine = std::as_writable_bytes(std::span(one));
  const ReceivedParts parts = {std::as_bytes(std::span(two))};
  EXPECT_DEATH(ReduceReceived({}, parts, mine), "elements <=");
  EXPECT_DEATH(CopyReceived({}, parts, mine), "elements <=");
}

TEST(SequenceSet, AgreesWithASetAndMergesNeighbours) {
  std::mt19937 random(3);
  SequenceSet mine;
  std::set<std::uint64_t> reference;
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t sequence = random() % 300;
    ASSERT_EQ(mine.Contains(sequence), reference.count(sequence) > 0);
    if (reference.insert(sequence).second) mine.Add(sequence);
  }
  SequenceSet dense;
  for (std::uint64_t sequence : {0, 1, 5, 4, 2, 3, 9}) dense.Add(sequence);
  EXPECT_EQ(dense.intervals(), 2);
  EXPECT_TRUE(dense.Contains(4));
  EXPECT_FALSE(dense.Contains(6));
}

}  // namespace
}  // namespace podsim
