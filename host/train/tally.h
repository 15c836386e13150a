// Per-row results of a batch, combined for the reports.
#ifndef PODSIM_HOST_TRAIN_TALLY_H_
#define PODSIM_HOST_TRAIN_TALLY_H_

#include <cstdint>
#include <span>
#include <vector>

#include "models/graph/program.h"

namespace podsim {

struct MetricRows {
  std::span<const float> values;  // [rows]
  MetricCombine combine = MetricCombine::kMean;
  bool is_of_loss = false;  // a sum that an evaluation's loss is made of
};

struct RowResults {
  std::span<const float> loss;      // [rows], unweighted; empty: none
  std::span<const float> weights;   // [rows], share in the loss; 0: no example
  std::vector<MetricRows> metrics;  // the loss among them
};

struct MetricTotal {
  double total = 0;   // kMean: of weight x value
  double weight = 0;  // of the rows
};

struct Tally {
  std::vector<MetricTotal> metrics;
  std::int64_t examples = 0;
  // The first row, in the order of counting, whose loss, or what it adds to
  // one, is not finite, and that number; -1: none.
  std::int64_t bad_row = -1;
  float bad_loss = 0;

  // Counts rows [first_row, first_row + rows) of a batch.
  void Count(const RowResults& results, std::int64_t first_row);
  // Notes the loss of a row, if it is the first that is not finite.
  void Look(float loss, std::int64_t row);
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_TALLY_H_
