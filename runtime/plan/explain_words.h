// Counts, bytes and names as an explanation of a step writes them. Pure.
#ifndef PODSIM_RUNTIME_PLAN_EXPLAIN_WORDS_H_
#define PODSIM_RUNTIME_PLAN_EXPLAIN_WORDS_H_

#include <string>

#include "chip/value_names.h"

namespace podsim {

// "129 GFLOP" of a count and "FLOP": three digits.
std::string ThousandsText(double count, const char* unit);
// "97.7 MiB", three digits; "97.66 MiB".
std::string ShortBytesText(double bytes);
std::string BytesText(double bytes);

// In lines of so many columns. Of a name that is too long, the layer and the
// line of its source, or its end: what tells it from its neighbours.
std::string NameIn(const ValueName& name, int columns);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_EXPLAIN_WORDS_H_
