// What is neither a product nor a fold nor element-wise: softmax with its loss,
// random bits, and sorting by a network.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tests/models/ops/cost_oracle.h"

namespace podsim::testing {
namespace {

constexpr double kFarthest = std::numeric_limits<double>::infinity();

Counted Exponential(const Counted& x) { return Function(x, std::exp(x.value)); }
Counted Logarithm(const Counted& x) { return Function(x, std::log(x.value)); }

// Each exponential is kept from the sum to the quotient.
void SoftmaxXent(CountedUse& use) {
  const std::int64_t columns = use.operand(0).columns;
  for (std::int64_t row = 0; row < use.operand(0).rows; ++row) {
    const Counted label = use.Read(1, row);
    Counted most = -kFarthest;
    Counted best = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      const Counted logit = use.Read(0, row * columns + i);
      const Counted larger = logit > most;
      most = Select(larger, logit, most);
      best = Select(larger, static_cast<double>(i), best);
    }
    std::vector<Counted> powers(static_cast<std::size_t>(columns));
    Counted sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) {
      Counted& power = powers[static_cast<std::size_t>(i)];
      power = Exponential(use.Read(0, row * columns + i) - most);
      sum = sum + power;
    }
    for (std::int64_t i = 0; i < columns; ++i)
      use.Write(row * columns + i, powers[static_cast<std::size_t>(i)] / sum);
    const Counted of_label =
        use.Read(0, row * columns + static_cast<std::int64_t>(label.value));
    use.Write(row, Logarithm(sum) + (most - of_label), 1);
    use.Write(row, Select(best == label, 1, 0), 2);
  }
}

void SoftmaxXentGrad(CountedUse& use) {
  const std::int64_t columns = use.operand(0).columns;
  for (std::int64_t row = 0; row < use.operand(0).rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) {
      const Counted is_label = use.Read(1, row) == static_cast<double>(i);
      const std::int64_t at = row * columns + i;
      use.Write(at,
                (use.Read(0, at) - Select(is_label, 1, 0)) * use.Read(2, row));
    }
}

// Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3,
// SC'11). A product of 32 bits by 32 is one operation.
std::array<std::uint32_t, 4> FourWords(CountedUse& use, std::uint32_t key0,
                                       std::uint32_t key1, std::uint64_t block,
                                       std::uint64_t site) {
  std::array<std::uint32_t, 4> words = {static_cast<std::uint32_t>(block),
                                        static_cast<std::uint32_t>(block >> 32),
                                        static_cast<std::uint32_t>(site),
                                        static_cast<std::uint32_t>(site >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * words[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * words[2];
    use.Count(2);
    words = {static_cast<std::uint32_t>(second >> 32) ^ words[1] ^ key0,
             static_cast<std::uint32_t>(second),
             static_cast<std::uint32_t>(first >> 32) ^ words[3] ^ key1,
             static_cast<std::uint32_t>(first)};
    use.Count(4);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
    use.Count(2);
  }
  return words;
}

// `count` words by the key of a row, from element `begin` of the result on.
void DrawWords(CountedUse& use, std::int64_t row, std::int64_t begin,
               std::int64_t count) {
  const auto key0 = static_cast<std::uint32_t>(use.Read(0, 2 * row).value);
  const auto key1 = static_cast<std::uint32_t>(use.Read(0, 2 * row + 1).value);
  const auto site = static_cast<std::uint64_t>(use.attributes().Int("site", 0));
  for (std::int64_t block = 0; 4 * block < count; ++block) {
    const auto words =
        FourWords(use, key0, key1, static_cast<std::uint64_t>(block), site);
    for (std::int64_t i = 4 * block; i < 4 * block + 4 && i < count; ++i)
      use.Write(begin + i, words[static_cast<std::size_t>(i % 4)]);
  }
}

void RandomBits(CountedUse& use) {
  const std::int64_t columns = use.result().columns;
  for (std::int64_t row = 0; row < use.operand(0).rows; ++row)
    DrawWords(use, row, row * columns, columns);
}

void SharedRandomBits(CountedUse& use) {
  use.TakesPartOf(0);
  DrawWords(use, 0, 0, std::ssize(use.result().values));
}

// An element and where it was.
struct Placed {
  Counted value;
  Counted place;
};

// The one that comes first in `first`, by one comparison of both numbers.
void PutInOrder(bool largest_first, Placed& first, Placed& second) {
  const double a = largest_first ? -first.value.value : first.value.value;
  const double b = largest_first ? -second.value.value : second.value.value;
  const bool stays =
      std::pair(a, first.place.value) < std::pair(b, second.place.value);
  const Counted in_order = Once(first.value, stays ? 1 : 0);
  const Placed before = {Select(in_order, first.value, second.value),
                         Select(in_order, first.place, second.place)};
  second = {Select(in_order, second.value, first.value),
            Select(in_order, second.place, first.place)};
  first = before;
}

// Batcher's bitonic network. REQUIRES: a power of two of elements.
void BitonicSort(bool largest_first, std::vector<Placed>& line) {
  for (std::size_t run = 2; run <= line.size(); run *= 2)
    for (std::size_t apart = run / 2; apart > 0; apart /= 2)
      for (std::size_t i = 0; i < line.size(); ++i) {
        const std::size_t other = i ^ apart;
        if (other < i) continue;
        const bool ascends = (i & run) == 0;
        PutInOrder(largest_first, line[ascends ? i : other],
                   line[ascends ? other : i]);
      }
}

// Each line is filled up to a power of two by what comes last.
void ArgSort(CountedUse& use) {
  const Dims& sizes = use.operand(0).dims;
  const DimsView along = use.attributes().List("dimension");
  const bool largest_first = use.attributes().word == "GT";
  const Dims offsets = OffsetsOver(sizes, along);
  std::size_t power = 1;
  while (power < offsets.size()) power *= 2;
  const Counted number = use.Held(0);  // counts where numbers written down meet
  for (const std::int64_t begin : OffsetsOver(
           sizes, OthersOf(static_cast<std::int64_t>(sizes.size()), along))) {
    std::vector<Placed> line(power);
    for (std::size_t i = 0; i < power; ++i) {
      line[i].place = {static_cast<double>(i), number.tally};
      line[i].value =
          i < offsets.size()
              ? use.Read(0, begin + offsets[i])
              : Counted(largest_first ? -kFarthest : kFarthest, number.tally);
    }
    BitonicSort(largest_first, line);
    for (std::size_t i = 0; i < offsets.size(); ++i)
      use.Write(begin + offsets[i], line[i].place);
  }
}

constexpr CostOracle kSpecialOracles[] = {
    {"SoftmaxXent", SoftmaxXent}, {"SoftmaxXentGrad", SoftmaxXentGrad},
    {"random_bits", RandomBits},  {"shared_random_bits", SharedRandomBits},
    {"arg_sort", ArgSort},
};

}  // namespace

CostOracles SpecialOracles() { return kSpecialOracles; }

}  // namespace podsim::testing
