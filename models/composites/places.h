// Where elements of a sequence stand, as ops.
#ifndef PODSIM_MODELS_COMPOSITES_PLACES_H_
#define PODSIM_MODELS_COMPOSITES_PLACES_H_

#include <string>

#include "models/graph/graph.h"

namespace podsim {

// x [B, T, W] and int32 places [B, P] in [0, T) -> [B, P, W]: each example's
// own elements there.
Value AtPlaces(Graph& graph, Value x, Value places,
               const std::string& name = "");

// x [B, T, W] -> the same with zeros in front and without the last element:
// what a decoder has seen before it says each element.
Value ShiftedRight(Graph& graph, Value x, const std::string& name = "");

// x [B, T, W] plus, at place t, sin(t / f_i) in column i of the first half of W
// and cos(t / f_i) in that of the second, where f_i goes from 1 to 10,000 in
// W / 2 steps of one ratio [Vaswani et al., Attention is all you need, 2017,
// section 3.5, in the order of Tensor2Tensor]. REQUIRES: an even W of 4 or
// more.
Value AddSinusoids(Graph& graph, Value x, const std::string& name = "");

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_PLACES_H_
