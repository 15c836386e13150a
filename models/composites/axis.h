// Dimensions as composites are given them.
#ifndef PODSIM_MODELS_COMPOSITES_AXIS_H_
#define PODSIM_MODELS_COMPOSITES_AXIS_H_

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "models/composites/expr.h"

namespace podsim {

// Of x, from 0; -1 is its last one. Another one is an error of the graph.
inline std::int64_t AxisOf(Graph& graph, const Expr& x, int axis,
                           const char* what) {
  const int rank = x.rank();
  if (x.present() && axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  graph.Fail(absl::InvalidArgumentError(
      x.present() ? absl::StrCat(what, " over dimension ", axis, " of ",
                                 ToString(x.shape()))
                  : absl::StrCat(what,
                                 ": its operand is absent or of another "
                                 "graph")));
  return 0;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_AXIS_H_
