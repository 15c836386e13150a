// Which variables have no weight decay: weight_decay_exclude. Pure.
#ifndef PODSIM_MODELS_OPTIMIZER_EXCLUSION_H_
#define PODSIM_MODELS_OPTIMIZER_EXCLUSION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace podsim {

// Whether the variable's name contains one of `parts`.
bool IsExcluded(absl::Span<const std::string> parts,
                const std::string& variable);

// Parts that leave out nothing. One list serves many models ("bias,norm"), so a
// part may be in no name as long as another part is.
// Errors: INVALID_ARGUMENT if no part is in any name, or if one that is in none
//   is a slip of typing away from a word of a name; it says which names there
//   are.
absl::Status CheckExclusions(absl::Span<const std::string> parts,
                             absl::Span<const std::string> variables);

}  // namespace podsim

#endif  // PODSIM_MODELS_OPTIMIZER_EXCLUSION_H_
