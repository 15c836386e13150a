#include "runtime/plan/ladder_columns.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "job/hbm.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/plan/efficiency.h"
#include "runtime/plan/measured_rows.h"
#include "runtime/plan/run_cost.h"

namespace podsim {
namespace {

std::string RateText(double per_second) {
  return FormatCount(std::llround(per_second));
}

// One column: its heading and rank, and its cell of a row.
struct Column {
  TableColumn heading;
  std::function<std::string(const LadderRow&)> cell;
};

// Of low to high of what a limit is about.
constexpr int kRankOfAnswer = 1;

// Ranks: the highest is left out first on a narrow screen.
std::vector<Column> PlanColumns() {
  return {{{.name = "slice", .left = true},
           [](const LadderRow& row) { return row.slice.name; }},
          {{.name = "batch", .rank = 7},
           [](const LadderRow& row) {
             return absl::StrCat(row.plan.bits().batch_per_core());
           }},
          {{.name = "global", .rank = 13},
           [](const LadderRow& row) {
             return absl::StrCat(row.plan.global_batch());
           }},
          {{.name = "steps", .rank = 6},
           [](const LadderRow& row) {
             return absl::StrCat(row.plan.train_steps());
           }},
          {{.name = "learning rate", .rank = 14},
           [](const LadderRow& row) {
             return absl::StrFormat("%.4g",
                                    row.plan.bits().learning_rate().peak());
           }},
          {{.name = "HBM", .rank = 12}, [](const LadderRow& row) {
             const CoreMemory& memory = row.plan.core_memory();
             return absl::StrCat(FormatBytes(HbmBytes(memory)), " of ",
                                 FormatBytes(memory.hbm()));
           }}};
}

// Whether the question is about whole runs: prices or limits are given.
bool IsOfRun(const LadderQuestion& asked) {
  return asked.limits.given() || asked.prices.given();
}

std::vector<Column> StepColumns(const LadderQuestion& asked) {
  return {{{.name = "step sim"},
           [](const LadderRow& row) {
             return SpanText(row.forecast.step.total.seconds());
           }},
          {{.name = "low to high", .rank = IsOfRun(asked) ? 3 : 1},
           [](const LadderRow& row) { return RangeText(row.forecast.band); }},
          {{.name = "less fixed", .rank = 16}, [](const LadderRow& row) {
             const SimStep& step = row.forecast.step;
             return SpanText((step.total - step.fixed).seconds());
           }}};
}

std::string MaybeSpanText(std::optional<double> seconds) {
  return seconds ? SpanText(*seconds) : "-";
}

// Of the runs that were measured, if any.
std::vector<Column> MeasuredColumns(const Ladder& ladder) {
  if (!HasMeasured(ladder)) return {};
  return {{{.name = "step wall"},
           [](const LadderRow& row) {
             return row.measured ? MaybeSpanText(row.measured->step_seconds)
                                 : "-";
           }},
          {{.name = "sim of run"}, [](const LadderRow& row) {
             return row.measured ? MaybeSpanText(row.measured->sim_step_seconds)
                                 : "-";
           }}};
}

// Of sequences what counts is their tokens.
std::vector<Column> RateColumns(std::int64_t tokens_per_example) {
  std::vector<Column> columns = {
      {{.name = "examples/s", .rank = tokens_per_example > 0 ? 15 : 4},
       [](const LadderRow& row) {
         return RateText(row.forecast.examples_per_second());
       }}};
  if (tokens_per_example > 0)
    columns.push_back(
        {{.name = "tokens/s", .rank = 4},
         [tokens =
              static_cast<double>(tokens_per_example)](const LadderRow& row) {
           return RateText(tokens * row.forecast.examples_per_second());
         }});
  return columns;
}

// Nothing where no row is compared with another.
std::vector<Column> EfficiencyRangeColumns(const Ladder& ladder) {
  const auto range = [](const LadderRow& row) {
    return ShareRangeText(EfficiencyOf(row));
  };
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok() && !range(row).empty())
      return {{{.name = "eff low to high", .rank = 5},
               [range](const LadderRow& of) {
                 const std::string text = range(of);
                 return text.empty() ? "-" : text;
               }}};
  return {};
}

std::vector<Column> UseColumns(const Ladder& ladder) {
  std::vector<Column> columns = {
      {{.name = "MFU", .rank = 5},
       [](const LadderRow& row) { return PercentText(row.forecast.mfu()); }},
      {{.name = "all-reduce", .rank = 10},
       [](const LadderRow& row) {
         return SpanText(row.forecast.step.communication.seconds());
       }},
      {{.name = "exposed", .rank = 9},
       [](const LadderRow& row) {
         return SpanText(row.forecast.step.exposed_communication.seconds());
       }},
      {{.name = "eff"},
       [](const LadderRow& row) { return PercentText(row.efficiency); }}};
  for (Column& column : EfficiencyRangeColumns(ladder))
    columns.push_back(std::move(column));
  columns.push_back(
      {{.name = "recomputed", .rank = 11}, [](const LadderRow& row) {
         return PercentText(RecomputedShare(row.forecast));
       }});
  return columns;
}

// What is asked of the run is shown before what a step is like.
std::vector<Column> RunColumns(const LadderQuestion& asked) {
  const bool limited = asked.limits.given();
  const bool timed = asked.limits.deadline_seconds.has_value();
  // With prices alone the runs of the slices are compared.
  const bool compared = asked.prices.given() && !limited;
  return {{{.name = "run", .rank = IsOfRun(asked) ? 0 : 3},
           [](const LadderRow& row) {
             return SpanText(row.forecast.run_seconds());
           }},
          {{.name = "run low to high",
            .rank = timed || compared ? kRankOfAnswer : 8},
           [](const LadderRow& row) {
             const RunBand run = RunSeconds(row);
             return RangeText(run.low, run.high);
           }},
          {{.name = "chip-hours", .rank = compared ? kRankOfAnswer : 8},
           [](const LadderRow& row) {
             return AmountText(row.forecast.run_chip_hours());
           }},
          {{.name = "chip-hours low to high", .rank = compared ? 2 : 9},
           [](const LadderRow& row) {
             const RunBand hours = RunChipHours(row);
             return absl::StrCat(AmountText(hours.low), " to ",
                                 AmountText(hours.high));
           }}};
}

std::vector<Column> PriceColumns(const LadderQuestion& asked) {
  const ChipHourPrices& prices = asked.prices;
  if (!prices.given()) return {};
  std::vector<Column> columns = {
      {{.name = "price"}, [prices](const LadderRow& row) {
         return CostText(prices, RunCost(row, prices).forecast);
       }}};
  if (IsOfRun(asked))
    columns.push_back({{.name = "price low to high",
                        .rank = asked.limits.budget    ? kRankOfAnswer
                                : asked.limits.given() ? 8
                                                       : 2},
                       [prices](const LadderRow& row) {
                         const RunBand cost = RunCost(row, prices);
                         return absl::StrCat(CostText(prices, cost.low), " to ",
                                             AmountText(cost.high));
                       }});
  return columns;
}

// How each row stands to what is asked.
std::vector<Column> LimitColumns(const LadderQuestion& asked) {
  std::vector<Column> columns;
  if (asked.limits.deadline_seconds)
    columns.push_back(
        {{.name = "deadline", .left = true},
         [limit = *asked.limits.deadline_seconds](const LadderRow& row) {
           return StandingText(StandingOf(RunSeconds(row), limit));
         }});
  if (asked.limits.budget)
    columns.push_back({{.name = "budget", .left = true},
                       [prices = asked.prices,
                        limit = *asked.limits.budget](const LadderRow& row) {
                         return StandingText(
                             StandingOf(RunCost(row, prices), limit));
                       }});
  return columns;
}

std::vector<Column> BoundColumns() {
  return {
      {{.name = "bound by", .rank = 2, .left = true}, [](const LadderRow& row) {
         return absl::StrCat(BoundOf(row.forecast),
                             row.plan.warnings().empty() ? "" : " !");
       }}};
}

}  // namespace

TextTable LadderColumns(const Ladder& ladder, const LadderQuestion& asked) {
  std::vector<Column> columns;
  for (const std::vector<Column>& part :
       {PlanColumns(), StepColumns(asked), MeasuredColumns(ladder),
        RateColumns(ladder.tokens_per_example), UseColumns(ladder),
        RunColumns(asked), PriceColumns(asked), LimitColumns(asked),
        BoundColumns()})
    columns.insert(columns.end(), part.begin(), part.end());
  TextTable table;
  for (const Column& column : columns) table.columns.push_back(column.heading);
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok()) continue;
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const Column& column : columns) cells.push_back(column.cell(row));
  }
  return table;
}

}  // namespace podsim
