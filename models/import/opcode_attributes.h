// What the lines of opcodes.cc are made of. Sizes and numbers are only copied:
// the op table checks them.
#ifndef PODSIM_MODELS_IMPORT_OPCODE_ATTRIBUTES_H_
#define PODSIM_MODELS_IMPORT_OPCODE_ATTRIBUTES_H_

#include "models/import/opcodes.h"

namespace podsim {

void SetElement(const HloUse& use, OpAttributes& to);
void SetShape(const HloUse& use, OpAttributes& to);
void SetBroadcast(const HloUse& use, OpAttributes& to);
void SetConvolution(const HloUse& use, OpAttributes& to);
void SetDimension(const HloUse& use, OpAttributes& to);
void SetDimensions(const HloUse& use, OpAttributes& to);
void SetDirection(const HloUse& use, OpAttributes& to);
void SetDot(const HloUse& use, OpAttributes& to);
void SetGather(const HloUse& use, OpAttributes& to);
void SetIota(const HloUse& use, OpAttributes& to);
void SetPadding(const HloUse& use, OpAttributes& to);
void SetPermutation(const HloUse& use, OpAttributes& to);
void SetReduction(const HloUse& use, OpAttributes& to);
void SetScatter(const HloUse& use, OpAttributes& to);
void SetSlice(const HloUse& use, OpAttributes& to);
void SetSliceSizes(const HloUse& use, OpAttributes& to);
void SetWindow(const HloUse& use, OpAttributes& to);

// compare_places.cc, opcode_emitters.cc, scatter.cc, scatter_extremes.cc
absl::StatusOr<int> EmitCompare(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitDynamicSlice(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitExtremes(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitLiteral(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitProduct(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitReducedPrecision(FlatBuilder& builder,
                                         const HloUse& use);
absl::StatusOr<int> EmitReduction(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitScatter(FlatBuilder& builder, const HloUse& use);
absl::StatusOr<int> EmitScatteredWindow(FlatBuilder& builder,
                                        const HloUse& use);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_OPCODE_ATTRIBUTES_H_
