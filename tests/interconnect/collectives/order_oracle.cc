#include "tests/interconnect/collectives/order_oracle.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace podsim::testing {
namespace {

using Vector = std::vector<float>;
using Vectors = std::vector<Vector>;

std::vector<int> Counting(int count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Vector Added(const Vector& a, const Vector& b, const Addition& add) {
  Vector sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] = add(a[i], b[i]);
  return sum;
}

Vector Part(const Vector& x, const Range& range) {
  return {x.begin() + range.begin, x.begin() + range.begin + range.count};
}

Vectors Parts(const Vectors& x, const Range& range) {
  Vectors parts;
  for (const Vector& one : x) parts.push_back(Part(one, range));
  return parts;
}

void Append(const Vector& part, Vector& whole) {
  whole.insert(whole.end(), part.begin(), part.end());
}

Vector BidirRingSum(const PlanRequest& request, const Vectors& x,
                    const Addition& add) {
  std::vector<int> order = request.ring;
  Vector sum = RingSum(order, Parts(x, SegmentOf(request.elements, 2, 0)), add);
  std::reverse(order.begin(), order.end());
  Append(RingSum(order, Parts(x, SegmentOf(request.elements, 2, 1)), add), sum);
  return sum;
}

Vector TorusSum(const PlanRequest& request, const Vectors& x,
                const Addition& add) {
  Vectors of_rows;
  for (int row = 0; row < request.rows; ++row) {
    const auto first = x.begin() + row * request.columns;
    of_rows.push_back(RingSum(Counting(request.columns),
                              {first, first + request.columns}, add));
  }
  Vector sum;
  for (int column = 0; column < request.columns; ++column) {
    const Range shard = SegmentOf(request.elements, request.columns, column);
    Append(RingSum(Counting(request.rows), Parts(of_rows, shard), add), sum);
  }
  return sum;
}

Vector HalvingSum(Vectors x, const Addition& add) {
  std::size_t power = 1;
  while (power * 2 <= x.size()) power *= 2;
  for (std::size_t extra = power; extra < x.size(); ++extra) {
    x[extra - power] = Added(x[extra], x[extra - power], add);
  }
  x.resize(power);
  return TreeSum(x, add);
}

}  // namespace

float AddBfloat16(float a, float b) {
  int exponent = 0;
  const float fraction = std::frexp(a + b, &exponent);  // in [0.5, 1)
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
}

std::vector<float> TreeSum(const Vectors& x, const Addition& add) {
  if (x.size() == 1) return x[0];
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  return Added(TreeSum({x.begin(), middle}, add),
               TreeSum({middle, x.end()}, add), add);
}

std::vector<float> RankOrderSum(const Vectors& x, const Addition& add) {
  Vector sum = x[0];
  for (std::size_t rank = 1; rank < x.size(); ++rank) {
    sum = Added(sum, x[rank], add);
  }
  return sum;
}

std::vector<float> SumInOrderOf(const PlanRequest& request, const Vectors& x,
                                const Addition& add) {
  switch (request.algorithm) {
    case Algorithm::kRing:
      return RingSum(request.ring, x, add);
    case Algorithm::kBidirRing:
      return BidirRingSum(request, x, add);
    case Algorithm::kTorus2d:
      return TorusSum(request, x, add);
    case Algorithm::kHalvingDoubling:
      return HalvingSum(x, add);
    case Algorithm::kDirect:
      return RankOrderSum(x, add);
  }
  return {};
}

}  // namespace podsim::testing
