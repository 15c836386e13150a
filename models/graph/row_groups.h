// Which instructions run together row by row: a row group takes a panel of rows
// through all of its instructions before the next panel.
#ifndef PODSIM_MODELS_GRAPH_ROW_GROUPS_H_
#define PODSIM_MODELS_GRAPH_ROW_GROUPS_H_

#include <span>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

// Whether the rows of cores may be stacked, padded and cut in it.
bool IsRowWise(const Program& program, const Instruction& instruction);

// Says of each whether it runs core by core, and numbers the row groups:
// neighbours that are row-wise on a batch share one. `program` has the tensors.
void GroupRows(const Program& program, std::vector<Instruction>& instructions);

// `instructions` cut into what runs together, in order: the neighbours of one
// number, and each instruction without one alone. The parts are never empty,
// cover all of `instructions` and borrow them.
std::vector<std::span<const Instruction>> RowGroups(
    std::span<const Instruction> instructions);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_ROW_GROUPS_H_
