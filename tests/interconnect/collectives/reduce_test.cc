// The inner loops, over parts cut at every kind of place, and the set of used
// sequences.
#include "interconnect/collectives/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "interconnect/collectives/sequence_set.h"

namespace podsim {
namespace {

// The bytes of `values` in memory that begins `offset` bytes past an aligned
// address, cut into parts of random lengths (0 among them).
struct CutBytes {
  CutBytes(const std::vector<float>& values, std::size_t offset,
           std::mt19937& random)
      : memory(values.size() * sizeof(float) + offset) {
    std::memcpy(memory.data() + offset, values.data(),
                values.size() * sizeof(float));
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

TEST(Reduce, PartsMayBeCutAnywhere) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<float> received(random() % 100);
    std::vector<float> mine(received.size());
    for (float& value : received) value = static_cast<float>(random()) / 3e5F;
    for (float& value : mine) value = static_cast<float>(random()) / 7e5F;
    std::vector<float> expected(mine);
    for (std::size_t i = 0; i < mine.size(); ++i) expected[i] += received[i];

    const CutBytes bytes(received, seed % 4, random);
    AddReceived(bytes.parts, mine);
    EXPECT_EQ(mine, expected);
    CopyReceived(bytes.parts, mine);
    EXPECT_EQ(mine, received);
  }
}

TEST(ReduceDeathTest, WrongLengthsAreOurOwnBug) {
  const std::vector<float> two(2);
  std::vector<float> one(1);
  const ReceivedParts parts = {std::as_bytes(std::span(two))};
  EXPECT_DEATH(AddReceived(parts, one), "whole <=");
  EXPECT_DEATH(CopyReceived(parts, one), "part.size");
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
