#include "models/import/repeated_row.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "models/import/batch_numbers.h"
#include "models/ops/constant_value.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

using Batches = std::span<const std::int64_t>;

// The bytes of a constant's first part along `axis`, if all are equal.
std::optional<std::string> RowOf(const FlatOp& op, std::size_t axis) {
  if (op.attributes.data == nullptr) return std::nullopt;
  const std::string& data = *op.attributes.data;
  const auto& dims = op.type.shape.dims;
  std::size_t bytes = static_cast<std::size_t>(SizeOf(op.type.dtype));
  for (std::size_t i = axis + 1; i < dims.size(); ++i)
    bytes *= static_cast<std::size_t>(dims[i]);
  const std::size_t whole = bytes * static_cast<std::size_t>(dims[axis]);
  std::string row;
  for (std::size_t begin = 0; begin < data.size(); begin += whole) {
    for (std::size_t at = 0; at < whole; at += bytes)
      if (data.compare(begin + at, bytes, data, begin, bytes) != 0)
        return std::nullopt;
    row.append(data, begin, bytes);
  }
  return row;
}

// The row of floats that becomes each of `rows` with its number of examples.
std::optional<std::string> UnscaledRow(const std::vector<std::string>& rows,
                                       Batches batches, std::int64_t power) {
  std::string unscaled;
  for (std::size_t at = 0; at < rows[0].size(); at += sizeof(float)) {
    std::vector<double> values;
    for (const std::string& row : rows) {
      float value = 0;
      std::memcpy(&value, row.data() + at, sizeof(value));
      values.push_back(value);
    }
    const auto number = NumberFor(batches, values, power);
    if (!number) return std::nullopt;
    const auto value = static_cast<float>(*number);
    unscaled.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return unscaled;
}

FlatOp RowConstant(const FlatOp& op, std::string bytes) {
  FlatOp row = op;
  row.type.shape.dims[static_cast<std::size_t>(op.type.shape.batch_axis)] = 1;
  row.type.shape.batch_axis = -1;
  row.attributes.shape = row.type.shape;
  row.attributes.data = std::make_shared<const std::string>(std::move(bytes));
  return row;
}

// Of the row at place 0.
FlatOp Repeat(const FlatOp& op) {
  FlatOp repeat = op;
  repeat.entry = FindOp("broadcast_in_dim");
  repeat.attributes = {};
  repeat.attributes.shape = op.type.shape;
  for (int dim = 0; dim < op.type.shape.rank(); ++dim)
    repeat.attributes.lists["broadcast_dimensions"].push_back(dim);
  repeat.operands = {0};
  return repeat;
}

// The number of examples, or 1 over it, in each element.
FlatOp Scale(const FlatOp& op, std::int64_t power) {
  FlatOp scale = op;
  scale.attributes.data = nullptr;
  scale.attributes.value = 1;
  scale.attributes.lists[kBatchPower] = {power};
  return scale;
}

FlatOp ProductOf(const FlatOp& op, int a, int b) {
  FlatOp product = op;
  product.entry = FindOp("multiply");
  product.attributes = {};
  product.operands = {a, b};
  return product;
}

}  // namespace

std::optional<RepeatedRow> RepeatedRowOf(
    const FlatOp& op, std::span<const FlatOp* const> constants,
    Batches batches) {
  std::vector<std::string> rows;
  for (const FlatOp* constant : constants) {
    auto row =
        RowOf(*constant, static_cast<std::size_t>(op.type.shape.batch_axis));
    if (!row) return std::nullopt;
    rows.push_back(*std::move(row));
  }
  const bool alike =
      std::all_of(rows.begin(), rows.end(),
                  [&](const std::string& row) { return row == rows[0]; });
  if (alike) return RepeatedRow{{RowConstant(op, rows[0])}, Repeat(op)};
  if (op.type.dtype != DType::kFloat32) return std::nullopt;
  for (const std::int64_t power : {-1, 1})
    if (auto row = UnscaledRow(rows, batches, power))
      return RepeatedRow{
          {RowConstant(op, *std::move(row)), Repeat(op), Scale(op, power)},
          ProductOf(op, 1, 2)};
  return std::nullopt;
}

}  // namespace podsim
