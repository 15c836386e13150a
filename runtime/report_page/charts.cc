#include "runtime/report_page/charts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "job/phases.h"
#include "runtime/report_page/chart_svg.h"
#include "runtime/report_page/html.h"
#include "runtime/report_page/statistics.h"

namespace podsim {
namespace {

using Json = nlohmann::ordered_json;

// A drawing is some 700 pixels wide: in each bucket of three pixels the lowest
// and the highest of each curve.
constexpr std::size_t kBuckets = 240;
constexpr std::size_t kTableRows = 12;
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

constexpr double kMilli = 1e3;

// A column of the run's steps as a series.
struct Curve {
  ChartSeries series;  // without values
  std::vector<double> column;
};

std::vector<double> Scaled(const std::vector<double>& column, double by) {
  std::vector<double> scaled = column;
  for (double& value : scaled) value *= by;
  return scaled;
}

bool HasValues(const std::vector<double>& column) {
  return std::any_of(column.begin(), column.end(),
                     [](double value) { return std::isfinite(value); });
}

bool IsZero(const std::vector<double>& column) {
  return std::none_of(column.begin(), column.end(), [](double value) {
    return std::isfinite(value) && value != 0;
  });
}

std::vector<double> At(const std::vector<double>& column,
                       const std::vector<std::size_t>& rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(column[row]);
  return values;
}

// Values at some steps, as a column of the table.
std::vector<double> SparseColumn(const StepTable& steps,
                                 const std::map<std::int64_t, double>& values) {
  std::vector<double> column(steps.size(), kGap);
  for (const auto& [step, value] : values) {
    const auto at =
        std::lower_bound(steps.step.begin(), steps.step.end(), step);
    if (at != steps.step.end() && *at == step)
      column[static_cast<std::size_t>(at - steps.step.begin())] = value;
  }
  return column;
}

// Rows are chosen by all curves; one that has no value is left out.
Chart ChartOfRun(const StepTable& steps, std::string title, std::string unit,
                 std::vector<Curve> curves) {
  std::erase_if(curves,
                [](const Curve& curve) { return !HasValues(curve.column); });
  std::vector<const std::vector<double>*> columns;
  for (const Curve& curve : curves) columns.push_back(&curve.column);
  const std::vector<std::size_t> rows = RowsToDraw(columns, kBuckets);
  Chart chart = {.title = std::move(title), .unit = std::move(unit)};
  for (const std::size_t row : rows)
    chart.steps.push_back(static_cast<double>(steps.step[row]));
  for (Curve& curve : curves) {
    curve.series.values = At(curve.column, rows);
    chart.series.push_back(std::move(curve.series));
  }
  return chart;
}

// Evaluations, each of which has a dot.
ChartSeries EvalSeries(const std::string& label) {
  return {.label = label, .color = 1, .points = true, .spans_gaps = true};
}

Chart LossChart(const RunRecords& run) {
  std::map<std::int64_t, double> evals;
  for (const EvalRecord& eval : run.evals)
    if (eval.loss) evals[eval.step] = *eval.loss;
  return ChartOfRun(
      run.steps, "loss", "loss",
      {{{.label = "loss"}, run.steps[StepFigure::kLoss]},
       {EvalSeries("eval loss"), SparseColumn(run.steps, evals)}});
}

Chart AccuracyChart(const RunRecords& run) {
  std::map<std::int64_t, double> evals;
  for (const EvalRecord& eval : run.evals)
    if (eval.accuracy) evals[eval.step] = 100 * *eval.accuracy;
  return ChartOfRun(
      run.steps, "accuracy", "%",
      {{{.label = "accuracy"}, Scaled(run.steps[StepFigure::kAccuracy], 100)},
       {EvalSeries("eval accuracy"), SparseColumn(run.steps, evals)}});
}

Chart OwnChart(const RunRecords& run, const std::string& name) {
  std::map<std::int64_t, double> evals;
  for (const EvalRecord& eval : run.evals)
    if (const auto found = eval.own.find(name); found != eval.own.end())
      evals[eval.step] = found->second;
  const auto own = run.steps.own.find(name);
  return ChartOfRun(
      run.steps, name, name,
      {{{.label = name},
        own == run.steps.own.end() ? std::vector<double>(run.steps.size(), kGap)
                                   : own->second},
       {EvalSeries("eval " + name), SparseColumn(run.steps, evals)}});
}

// Examples a second that a step of so long makes.
std::vector<double> RateOf(const RunRecords& run,
                           const std::vector<double>& seconds) {
  std::vector<double> rates;
  rates.reserve(seconds.size());
  for (const double each : seconds)
    rates.push_back(each > 0 ? static_cast<double>(run.plan.global_batch) / each
                             : kGap);
  return rates;
}

// Both clocks, and the forecast with its band. A logarithmic axis: the pod is
// faster than this machine by a hundred or a thousand.
Chart RateChart(const RunRecords& run) {
  std::vector<Curve> curves = {
      {{.label = "examples/s wall"}, run.steps[StepFigure::kRate]},
      {{.label = "examples/s sim", .color = 1},
       RateOf(run, run.steps[StepFigure::kSimSeconds])}};
  if (run.forecast) {
    const auto level = [&](double seconds) {
      return RateOf(run, std::vector<double>(run.steps.size(), seconds));
    };
    curves.push_back(
        {{.label = "forecast, fastest (sim)", .color = 2, .dashed = true},
         level(run.forecast->low)});
    curves.push_back(
        {{.label = "forecast, slowest (sim)", .color = 2, .dashed = true},
         level(run.forecast->high)});
  }
  Chart chart =
      ChartOfRun(run.steps, "throughput", "examples/s", std::move(curves));
  const int count = static_cast<int>(chart.series.size());
  if (run.forecast && count >= 2) chart.bands = {{count - 2, count - 1}};
  chart.log = true;
  for (ChartSeries& series : chart.series)
    for (double& value : series.values)
      if (!(value > 0)) value = kGap;
  return chart;
}

Chart PhaseChart(const RunRecords& run) {
  std::vector<Curve> curves;
  const auto add = [&](const std::string& label,
                       const std::vector<double>& seconds) {
    const int color = static_cast<int>(curves.size());
    curves.push_back(
        {{.label = label, .color = color}, Scaled(seconds, kMilli)});
  };
  for (std::size_t i = 0; i < kPhaseFigures.size(); ++i)
    add(kPhaseNames[i].label, run.steps[kPhaseFigures[i]]);
  for (const auto& [name, seconds] : run.steps.phases) add(name, seconds);
  return ChartOfRun(run.steps, "where the step of the last host went (wall)",
                    "ms", std::move(curves));
}

Chart InputChart(const RunRecords& run) {
  std::vector<Curve> curves;
  const auto add = [&](const char* label, int color, StepFigure figure) {
    if (!IsZero(run.steps[figure]))
      curves.push_back({{.label = label, .color = color},
                        Scaled(run.steps[figure], kMilli)});
  };
  add("read", 0, StepFigure::kRead);
  add("decode", 1, StepFigure::kDecode);
  add("augment", 2, StepFigure::kAugment);
  add("copy", 3, StepFigure::kCopy);
  if (!curves.empty()) add("the step waits", 5, StepFigure::kInput);
  return ChartOfRun(run.steps, "making a batch, beside the step (wall)", "ms",
                    std::move(curves));
}

// JSON's numbers with six digits: what a drawing shows.
Json Number(double value) {
  if (!std::isfinite(value)) return nullptr;
  double rounded = value;
  if (!absl::SimpleAtod(absl::StrFormat("%.6g", value), &rounded)) return value;
  return rounded;
}

Json ChartJson(const Chart& chart) {
  Json series = Json::array();
  Json steps = Json::array();
  for (const double step : chart.steps)
    steps.push_back(static_cast<std::int64_t>(step));
  Json data = Json::array({steps});
  for (const ChartSeries& each : chart.series) {
    series.push_back({{"label", each.label},
                      {"color", each.color},
                      {"dashed", each.dashed},
                      {"points", each.points},
                      {"spans", each.spans_gaps}});
    Json values = Json::array();
    for (const double value : each.values) values.push_back(Number(value));
    data.push_back(std::move(values));
  }
  Json bands = Json::array();
  for (const auto& [low, high] : chart.bands) bands.push_back({low, high});
  return {{"title", chart.title}, {"unit", chart.unit}, {"log", chart.log},
          {"series", series},     {"bands", bands},     {"data", data}};
}

std::string CellText(double value) {
  return std::isfinite(value) ? absl::StrFormat("%.5g", value) : "";
}

// Some rows, evenly.
std::string ChartTable(const Chart& chart) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].push_back("step");
  for (const ChartSeries& each : chart.series) rows[0].push_back(each.label);
  const std::size_t count = std::min(kTableRows, chart.steps.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row =
        count < 2 ? 0 : i * (chart.steps.size() - 1) / (count - 1);
    std::vector<std::string>& cells = rows.emplace_back();
    cells.push_back(absl::StrFormat("%.0f", chart.steps[row]));
    for (const ChartSeries& each : chart.series)
      cells.push_back(CellText(each.values[row]));
  }
  return HtmlElement("div", {{"class", "data"}}, HtmlTable(rows));
}

// One figure of several runs, whose steps differ.
Chart Overlay(const std::vector<const RunRecords*>& runs,
              const std::vector<std::string>& names, StepFigure figure,
              std::string title, std::string unit) {
  std::vector<std::map<double, double>> drawn;
  std::map<double, std::size_t> all;
  for (const RunRecords* run : runs) {
    const std::vector<double>* const column = &run->steps[figure];
    std::map<double, double>& values = drawn.emplace_back();
    for (const std::size_t row : RowsToDraw({&column, 1}, kBuckets)) {
      const auto step = static_cast<double>(run->steps.step[row]);
      values[step] = (*column)[row];
      all[step] = 0;
    }
  }
  Chart chart = {.title = std::move(title), .unit = std::move(unit)};
  for (const auto& [step, unused] : all) chart.steps.push_back(step);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ChartSeries series = {.label = names[i],
                          .color = static_cast<int>(i),
                          .dashed = i >= 6,
                          .spans_gaps = true};
    for (const double step : chart.steps) {
      const auto found = drawn[i].find(step);
      series.values.push_back(found == drawn[i].end() ? kGap : found->second);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

std::vector<Chart> ChartsOf(const RunRecords& run) {
  std::vector<Chart> charts;
  const auto add = [&](Chart chart, ChartKind kind) {
    chart.kind = kind;
    charts.push_back(std::move(chart));
  };
  add(LossChart(run), ChartKind::kLoss);
  add(AccuracyChart(run), ChartKind::kMetric);
  for (const auto& [name, unused] : run.steps.own)
    add(OwnChart(run, name), ChartKind::kMetric);
  charts.push_back(ChartOfRun(
      run.steps, "learning rate", "learning rate",
      {{{.label = "learning rate"}, run.steps[StepFigure::kLearningRate]}}));
  add(RateChart(run), ChartKind::kRate);
  charts.push_back(PhaseChart(run));
  charts.push_back(InputChart(run));
  std::erase_if(charts, [](const Chart& chart) { return chart.empty(); });
  return charts;
}

std::vector<Chart> ChartsBeside(const std::vector<const RunRecords*>& runs,
                                const std::vector<std::string>& names) {
  std::vector<Chart> charts = {
      Overlay(runs, names, StepFigure::kLoss, "loss of all runs", "loss"),
      Overlay(runs, names, StepFigure::kRate, "throughput of all runs (wall)",
              "examples/s")};
  std::erase_if(charts, [](const Chart& chart) { return chart.empty(); });
  return charts;
}

std::string ChartHtml(const Chart& chart) {
  const std::string json =
      ChartJson(chart).dump(-1, ' ', false, Json::error_handler_t::replace);
  return HtmlElement(
      "figure", {{"class", "chart"}},
      absl::StrCat(HtmlElement("figcaption", HtmlText(chart.title)),
                   HtmlElement("div", {{"class", "plot"}}, ""),
                   HtmlElement("div", {{"class", "still"}}, ChartSvg(chart)),
                   HtmlElement("script", {{"type", "application/json"}},
                               JsonForHtml(json)),
                   ChartTable(chart)));
}

}  // namespace podsim
