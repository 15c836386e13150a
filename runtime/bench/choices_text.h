// A calibration as a file: the table, and above it what it was measured with
// and how. Pure.
#ifndef PODSIM_RUNTIME_BENCH_CHOICES_TEXT_H_
#define PODSIM_RUNTIME_BENCH_CHOICES_TEXT_H_

#include <span>
#include <string>

#include "interconnect/collectives/choose.h"
#include "runtime/bench/json_report.h"

namespace podsim {

// Comments, then PrintChoices: ParseChoices reads it.
std::string ChoicesText(const BenchRecord& record,
                        std::span<const ChoiceRow> table);

// "halving_doubling up to 1.41 MiB, ring".
std::string ChoicesSummary(std::span<const ChoiceRow> table);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_CHOICES_TEXT_H_
