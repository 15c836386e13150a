// A ladder as text, a row for each slice. Pure.
#ifndef PODSIM_RUNTIME_PLAN_LADDER_TABLE_H_
#define PODSIM_RUNTIME_PLAN_LADDER_TABLE_H_

#include <string>

#include "base/text_layout.h"
#include "runtime/plan/ladder.h"
#include "runtime/plan/which_slice.h"

namespace podsim {

// With measured runs their columns, and below the table what is to be said of
// them. With prices a column of what the whole run costs; with limits a mark in
// each row, and the slices that keep them below the table. Each line but the
// rows begins with '#'; knees, warnings and refusals are below the table. On
// narrow screens columns are left out, in the order of their ranks;
// kAllColumns: none, and each slice's warnings at length.
std::string FormatLadder(const Ladder& ladder, const LadderQuestion& asked,
                         int columns = kTextColumns);

// "mlp on digits".
std::string LadderJobText(const Ladder& ladder);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PLAN_LADDER_TABLE_H_
