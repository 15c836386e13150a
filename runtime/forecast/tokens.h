// What examples are made of where they are sequences: so many tokens. Pure.
#ifndef PODSIM_RUNTIME_FORECAST_TOKENS_H_
#define PODSIM_RUNTIME_FORECAST_TOKENS_H_

#include <cstdint>

#include "models/graph/program.h"

namespace podsim {

// Tokens of an example: the elements of an input of whole numbers [B, T, ...]
// without B, if the forward pass looks rows of a table up by them, also after
// other whole numbers were made of them (JAX wraps negative indices); the
// largest where inputs differ, and padding counted. 0: examples are no
// sequences, or what they name is found otherwise (a product with one-hot
// rows). What picks places of an example's own values is no token.
std::int64_t TokensPerExample(const Program& program);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FORECAST_TOKENS_H_
