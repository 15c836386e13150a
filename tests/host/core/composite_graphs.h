// Composites as graphs, and numbers for them: each row once, with the class or
// place of it that is looked at.
#ifndef PODSIM_TESTS_HOST_CORE_COMPOSITE_GRAPHS_H_
#define PODSIM_TESTS_HOST_CORE_COMPOSITE_GRAPHS_H_

#include <cstddef>
#include <vector>

#include "models/ops/rules.h"
#include "tests/host/core/composite_forms.h"
#include "tests/host/core/kernel_calculator.h"

namespace podsim::testing {

// Rows of N numbers, and the class or place of each that is looked at.
struct Places {
  std::vector<Row> rows;
  std::vector<std::size_t> places;

  std::size_t count() const { return rows.size(); }
  std::size_t width() const { return rows[0].size(); }
};

// x is [B, N], or as its builder says; dy is 1 for what is looked at.
struct Built {
  Graph graph{"composite"};
  GivenNumbers given;
  Value x;
  Value y;
  Tensor dy{Plain({}), 1};
};

void BuildSoftmax(Built& built, const Places& at);
void BuildLogSoftmax(Built& built, const Places& at);
void BuildCrossEntropy(Built& built, const Places& at);
// Of log_softmax, as the importer has it.
void BuildLogLikelihood(Built& built, const Places& at);
void BuildSmoothed(Built& built, const Places& at);
void BuildLayerNorm(Built& built, const Places& at);
void BuildRmsNorm(Built& built, const Places& at);
// [N, B]: rows are features, their numbers those of the examples.
void BuildBatchNorm(Built& built, const Places& at);
// [B, N, 1]. One query for each row, half of that of its place.
void BuildAttentionByKeys(Built& built, const Places& at);
void BuildAttentionOfValues(Built& built, const Places& at);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CORE_COMPOSITE_GRAPHS_H_
