// The op table: every op that there is, one entry each. A new op is an entry in
// its family's file and a kernel; tests are made from what it says of itself
// (tests/models/ops, tests/host/core/op_kernels_test.cc). See
// docs/adding-an-op.md.
#ifndef PODSIM_MODELS_OPS_OP_TABLE_H_
#define PODSIM_MODELS_OPS_OP_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/op_entry.h"

namespace podsim {

// All entries, in the table's order.
const std::vector<const OpEntry*>& AllOps();

inline OpCode CodeOf(const OpEntry& entry) { return OpCode(entry.name); }

// Null if no op has that name.
const OpEntry* FindOp(std::string_view name);

// REQUIRES: an op of the table.
const OpEntry& EntryOf(OpCode op);

// infer with what is per core marked so, with the op and the count of operands
// checked and errors that name op and operands: "MatMul([B, 64], [32, 10]): the
// left side's 64 columns ...".
absl::StatusOr<std::vector<ValueType>> InferTypes(
    OpCode op, std::span<const ValueType> inputs,
    const OpAttributes& attributes);

// Whether the rows of cores may be stacked, padded and cut in this use of the
// op (OpEntry::is_row_wise). One that is not sees the rows of one core at a
// time.
bool IsRowWise(const OpEntry& entry, const OpSignature& signature);

// Whether this use makes a sum over the batch, each core its own, and would
// make the sum of these of the cores' stacked rows (OpEntry::sums_batch).
bool SumsStackedRows(const OpEntry& entry, const OpSignature& signature);

// `rows` is B for one core.
OpCost CostOf(const OpEntry& entry, const OpSignature& signature,
              std::int64_t rows);

std::vector<OpSample> SamplesOf(const OpEntry& entry);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_OP_TABLE_H_
