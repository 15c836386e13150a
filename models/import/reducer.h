// What the small computations do that reductions call.
#ifndef PODSIM_MODELS_IMPORT_REDUCER_H_
#define PODSIM_MODELS_IMPORT_REDUCER_H_

#include <string>

#include "models/import/hlo_module.h"

namespace podsim {

// What JAX sorts floats by: the smaller comes first, NaN last; zeros are equal.
inline constexpr char kAscendingFloats[] = "ascending floats";

// One operation on parameters 0 and 1: "add", "subtract" (0 less 1), or a
// comparison's direction, "GE"; "second" is parameter 1 itself;
// kAscendingFloats. Empty: something else.
std::string ReducerWord(const HloComputation& computation);

// Of two pairs (value, place) that with the larger value ("maximum") or the
// smaller ("minimum"), of equal ones the first place, as JAX writes argmax and
// argmin. Empty: something else.
std::string ArgReducerWord(const HloComputation& computation);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_REDUCER_H_
