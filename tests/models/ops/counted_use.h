// A use of an op whose operands and results are counted as well: what of them
// is read from memory, and what is written to it.
#ifndef PODSIM_TESTS_MODELS_OPS_COUNTED_USE_H_
#define PODSIM_TESTS_MODELS_OPS_COUNTED_USE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ops/index_loops.h"
#include "models/ops/tensor.h"
#include "tests/models/ops/counted.h"

namespace podsim::testing {

// Each operand is read whole, each result written whole, both once, unless the
// op says otherwise below; elements are numbered row-major. Results begin as
// zeros. Keeps references to `operands` and `sample`.
class CountedUse {
 public:
  // `rows`: B.
  CountedUse(const std::vector<Tensor>& operands, const OpSample& sample,
             std::int64_t rows);
  // Numbers refer to their tally, which is in here.
  CountedUse(const CountedUse&) = delete;
  CountedUse& operator=(const CountedUse&) = delete;

  const OpAttributes& attributes() const { return sample_.attributes; }
  std::size_t operand_count() const { return operands_.size(); }
  const Tensor& operand(std::size_t i = 0) const { return operands_[i]; }
  const Tensor& result(std::size_t i = 0) const { return results_[i]; }

  // An element of an operand: of a product that rounds, rounded.
  Counted Read(std::size_t operand, std::int64_t element);
  Counted Read(std::size_t operand, DimsView index);
  // The same of what another unit hands over instead of memory.
  Counted Passing(std::size_t operand, std::int64_t element);
  // What a result has so far; not from memory.
  Counted Held(std::int64_t element, std::size_t result = 0);
  void Write(std::int64_t element, const Counted& value,
             std::size_t result = 0);
  void Write(DimsView index, const Counted& value);
  // result 0 += a * b, on the matrix unit.
  void MultiplyAdd(std::int64_t element, const Counted& a, const Counted& b);
  void Count(double flops) { tally_.flops += flops; }

  // Of the operand no more is read than Read reads.
  void TakesPartOf(std::size_t operand) { reads_[operand].whole = false; }
  // Result 0 lies where operand 0 lay: no more is read and written than Read
  // and Write do.
  void WorksInPlace();
  // Once more than that, in whole, as a pass had to wait for the one before;
  // what is written is written over the operand.
  void ReadAgain(std::size_t operand);
  void WriteOver(std::size_t operand);

  const Tally& tally() const { return tally_; }
  double bytes_read() const;
  double bytes_written() const;
  // Whether Write was used: there are ops of which only the counts are of
  // interest.
  bool is_computed(std::size_t result) const { return computed_[result]; }

 private:
  // Of an operand or a result, which elements were touched.
  struct Touched {
    bool whole = true;
    std::vector<bool> elements;
  };

  const std::vector<Tensor>& operands_;
  const OpSample& sample_;
  std::vector<Tensor> results_;
  std::vector<Touched> reads_;
  std::vector<Touched> writes_;
  std::vector<bool> computed_;
  Tally tally_;
  double read_again_ = 0;
  double written_over_ = 0;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_OPS_COUNTED_USE_H_
