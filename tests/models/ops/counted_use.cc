#include "tests/models/ops/counted_use.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "models/ops/reference.h"

namespace podsim::testing {
namespace {

double BytesOf(const Tensor& tensor, std::ptrdiff_t elements) {
  return static_cast<double>(elements * SizeOf(tensor.type.dtype));
}

double WholeBytes(const Tensor& tensor) {
  return BytesOf(tensor, std::ssize(tensor.values));
}

double TouchedBytes(const Tensor& tensor, const std::vector<bool>& touched) {
  return BytesOf(tensor, std::count(touched.begin(), touched.end(), true));
}

}  // namespace

CountedUse::CountedUse(const std::vector<Tensor>& operands,
                       const OpSample& sample, std::int64_t rows)
    : operands_(operands), sample_(sample) {
  for (const ValueType& type : sample.outputs)
    results_.emplace_back(type, rows);
  for (const Tensor& tensor : operands_)
    reads_.push_back({true, std::vector<bool>(tensor.values.size())});
  for (const Tensor& tensor : results_)
    writes_.push_back({true, std::vector<bool>(tensor.values.size())});
  computed_.resize(results_.size());
}

Counted CountedUse::Read(std::size_t operand, std::int64_t element) {
  reads_[operand].elements[static_cast<std::size_t>(element)] = true;
  return Passing(operand, element);
}

Counted CountedUse::Read(std::size_t operand, DimsView index) {
  return Read(operand, OffsetOf(index, StridesOf(operands_[operand].dims)));
}

Counted CountedUse::Passing(std::size_t operand, std::int64_t element) {
  const double value =
      operands_[operand].values[static_cast<std::size_t>(element)];
  return {attributes().rounded_operands ? RoundToBFloat16(value) : value,
          &tally_};
}

Counted CountedUse::Held(std::int64_t element, std::size_t result) {
  return {results_[result].values[static_cast<std::size_t>(element)], &tally_};
}

void CountedUse::Write(std::int64_t element, const Counted& value,
                       std::size_t result) {
  const auto at = static_cast<std::size_t>(element);
  results_[result].values[at] = value.value;
  writes_[result].elements[at] = true;
  computed_[result] = true;
}

void CountedUse::Write(DimsView index, const Counted& value) {
  Write(OffsetOf(index, StridesOf(results_[0].dims)), value);
}

void CountedUse::MultiplyAdd(std::int64_t element, const Counted& a,
                             const Counted& b) {
  ++tally_.multiply_adds;
  Write(element, Held(element).value + a.value * b.value);
}

void CountedUse::WorksInPlace() {
  results_[0].values = operands_[0].values;
  reads_[0].whole = false;
  writes_[0].whole = false;
}

void CountedUse::ReadAgain(std::size_t operand) {
  read_again_ += WholeBytes(operands_[operand]);
}

void CountedUse::WriteOver(std::size_t operand) {
  written_over_ += WholeBytes(operands_[operand]);
}

double CountedUse::bytes_read() const {
  double bytes = read_again_;
  for (std::size_t i = 0; i < operands_.size(); ++i)
    bytes += reads_[i].whole ? WholeBytes(operands_[i])
                             : TouchedBytes(operands_[i], reads_[i].elements);
  return bytes;
}

double CountedUse::bytes_written() const {
  double bytes = written_over_;
  for (std::size_t i = 0; i < results_.size(); ++i)
    bytes += writes_[i].whole ? WholeBytes(results_[i])
                              : TouchedBytes(results_[i], writes_[i].elements);
  return bytes;
}

}  // namespace podsim::testing
