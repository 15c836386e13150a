// Numbers of examples that only tell an example's own places apart.
#ifndef PODSIM_MODELS_IMPORT_OWN_NUMBERS_H_
#define PODSIM_MODELS_IMPORT_OWN_NUMBERS_H_

#include <optional>

#include "models/import/flat.h"

namespace podsim {

// JAX numbers what x.at[arange(B), i].set(v) writes, 1, 2, ... along the
// examples, writes the numbers first and asks of each place which number is
// there. Where all that is so written, read and compared lies in an example's
// own row, the number of every example may as well be 1: `from`, simplified,
// with that. Nothing: there are no such numbers, or they are used otherwise.
std::optional<FlatFunction> WithOwnNumbers(const FlatFunction& from);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_OWN_NUMBERS_H_
