// A ladder as text, a row for each slice, or as JSON. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_TABLE_H_
#define PODSIM_RUNTIME_PLAN_LADDER_TABLE_H_

#include <string>

#include "base/text_layout.h"
#include "runtime/plan/ladder.h"

namespace podsim {

// `price_per_chip_hour` 0: no column of prices. Each line but the rows begins
// with '#'; warnings and refusals are below the table. On narrow screens
// columns are left out, in the order of their ranks; kAllColumns: none, and
// each slice's warnings at length.
std::string FormatLadder(const Ladder& ladder, double price_per_chip_hour,
                         int columns = kTextColumns);
// `explanation`: what FormatExplanationJson writes of the one row, which comes
// under "explain"; empty: none.
std::string FormatLadderJson(const Ladder& ladder, double price_per_chip_hour,
                             const std::string& explanation = "");

// "mlp on digits".
std::string LadderJobText(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_TABLE_H_
