// One matrix product with seeded operands, to be run on any kernel table: what
// the tests of products share.
#ifndef PODSIM_TESTS_MODELS_KERNELS_PRODUCT_CASE_H_
#define PODSIM_TESTS_MODELS_KERNELS_PRODUCT_CASE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "models/kernels/reference.h"
#include "tests/models/kernels/kernel_fixture.h"

namespace podsim {

using Index = std::int64_t;

enum class Op { kPlain, kBt, kAt, kAtAccumulate };

// A product and which of a table's two sets computes it.
struct Kind {
  Op op;
  bool bf16 = false;

  bool a_transposed() const { return op == Op::kAt || op == Op::kAtAccumulate; }
  bool b_transposed() const { return op == Op::kBt; }
  bool accumulates() const { return op == Op::kAtAccumulate; }

  const PodsimProducts& Of(const PodsimKernels& table) const {
    return bf16 ? table.bfloat16 : table.float32;
  }

  std::string Text() const {
    return std::string(bf16 ? "bfloat16 " : "float32 ") +
           (accumulates() ? "C + " : "") + (a_transposed() ? "A^T" : "A") +
           " * " + (b_transposed() ? "B^T" : "B");
  }
};

inline constexpr Kind kBf16Kinds[] = {{Op::kPlain, true},
                                      {Op::kBt, true},
                                      {Op::kAt, true},
                                      {Op::kAtAccumulate, true}};
inline constexpr Kind kKinds[] = {
    {Op::kPlain},  {Op::kBt},     {Op::kAt},     {Op::kAtAccumulate},
    kBf16Kinds[0], kBf16Kinds[1], kBf16Kinds[2], kBf16Kinds[3]};

// Memory as PodsimProducts wants it for a packed right side, full of NaN.
class PackedFloats {
 public:
  explicit PackedFloats(Index count)
      : floats_(static_cast<std::size_t>(count) + kPackedAlignment,
                std::numeric_limits<float>::quiet_NaN()),
        count_(static_cast<std::size_t>(count)) {}
  PackedFloats(const PackedFloats&) = delete;
  PackedFloats(PackedFloats&&) = default;  // keeps the memory where it is

  float* data() { return const_cast<float*>(std::as_const(*this).data()); }
  const float* data() const {
    const auto address = reinterpret_cast<std::uintptr_t>(floats_.data());
    const auto past = address % kPackedAlignment;
    return floats_.data() +
           (past == 0 ? 0 : (kPackedAlignment - past) / sizeof(float));
  }
  // Bit by bit: what no column fills is NaN in both.
  bool operator==(const PackedFloats& other) const {
    return count_ == other.count_ &&
           std::memcmp(data(), other.data(), count_ * sizeof(float)) == 0;
  }

 private:
  std::vector<float> floats_;
  std::size_t count_;
};

inline void RoundToBfloat16(std::vector<float>& values) {
  ReferenceKernels().round_bfloat16(static_cast<Index>(values.size()),
                                    values.data(), values.data());
}

// Sizes, row lengths in memory and filled operands: what the bfloat16 set takes
// is a rounded A and a B that is not.
struct ProductCase {
  Kind kind;
  Index m, n, k;
  Index lda, ldb, ldc;
  std::vector<float> a, b, c;  // c before the product

  ProductCase(Kind kind, Index m, Index n, Index k, Index padding = 0)
      : kind(kind), m(m), n(n), k(k) {
    lda = (kind.a_transposed() ? m : k) + padding;
    ldb = (kind.b_transposed() ? k : n) + padding;
    ldc = n + padding;
    a = Uniform(lda * (kind.a_transposed() ? k : m), 1);
    b = Uniform(ldb * (kind.b_transposed() ? n : k), 2);
    c = Uniform(ldc * m, 3);
    if (kind.bf16) RoundToBfloat16(a);
  }

  // Where A's element (row, i) and B's element (i, column) lie.
  float& A(Index row, Index i) {
    return a[static_cast<std::size_t>(kind.a_transposed() ? i * lda + row
                                                          : row * lda + i)];
  }
  float& B(Index i, Index column) {
    return b[static_cast<std::size_t>(kind.b_transposed() ? column * ldb + i
                                                          : i * ldb + column)];
  }

  // B packed in ranges of `columns`.
  PackedFloats Pack(const PodsimKernels& table, Index columns) const {
    const PodsimProducts& products = kind.Of(table);
    PackedFloats packed(products.packed_elements(n, k));
    const auto pack = kind.b_transposed() ? products.pack_bt : products.pack;
    for (Index begin = 0; begin < n; begin += columns)
      pack(n, k, b.data(), ldb, begin, std::min(n, begin + columns),
           packed.data());
    return packed;
  }

  std::vector<float> Run(const PodsimKernels& table) const {
    const PodsimProducts& products = kind.Of(table);
    const PackedFloats packed = Pack(table, std::max<Index>(n, 1));
    std::vector<float> result = c;
    if (kind.a_transposed())
      products.multiply_at(m, n, k, a.data(), lda, packed.data(), result.data(),
                           ldc, kind.accumulates() ? 1 : 0);
    else
      products.multiply(m, n, k, a.data(), lda, packed.data(), result.data(),
                        ldc);
    return result;
  }

  std::string Text() const {
    return kind.Text() + " M=" + std::to_string(m) + " N=" + std::to_string(n) +
           " K=" + std::to_string(k) + " ldc=" + std::to_string(ldc);
  }
};

}  // namespace podsim

#endif  // PODSIM_TESTS_MODELS_KERNELS_PRODUCT_CASE_H_
