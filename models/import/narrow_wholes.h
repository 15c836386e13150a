// Whole numbers of 8 and 16 bits that the op table has not: they are int32 of
// their range, and what is computed of them wraps around as they do.
#ifndef PODSIM_MODELS_IMPORT_NARROW_WHOLES_H_
#define PODSIM_MODELS_IMPORT_NARROW_WHOLES_H_

#include "absl/status/statusor.h"
#include "models/import/opcodes.h"

namespace podsim {

// S8, S16 or U16.
bool IsNarrow(hlo::PrimitiveType type);

// What `from` made, in int32, as its type holds it; other types as they are.
absl::StatusOr<int> WrappedAs(FlatBuilder& builder, int place,
                              const hlo::Instruction& from);

// Errors: UNIMPLEMENTED (an instruction whose result is narrow and that reads
//   more bits than the type has).
absl::Status CheckNarrow(const hlo::Instruction& from);

// bitcast-convert, also between U16 and BF16.
absl::StatusOr<int> EmitBitcast(FlatBuilder& builder, const HloUse& use);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_NARROW_WHOLES_H_
