// The timing model beside what was published: rows of figures, and checks that
// say how near they must come. All pure; docs/validation.md is made of them.
#ifndef PODSIM_BENCH_VALIDATION_CHECK_H_
#define PODSIM_BENCH_VALIDATION_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interconnect/timing/band.h"
#include "interconnect/timing/pricing.h"

namespace podsim::validation {

struct Row {
  std::string what;
  std::string unit;                 // "us"
  std::optional<double> published;  // unset: only the model has it
  double sim = 0;
  Spread band;

  double error() const { return sim / *published - 1; }
  bool inside() const {
    return band.low <= *published && *published <= band.high;
  }
};

// A figure that is held: it must be in [least, most].
struct Bound {
  double least = 0;
  double most = 0;
  bool Holds(double value) const { return least <= value && value <= most; }
};
struct Result {
  std::string what;  // "mean error"
  bool percent = false;
  double value = 0;
  Bound goal;
  Bound floor;
  bool held_to_floor = false;  // the goal is shown, and not reached yet

  const Bound& held() const { return held_to_floor ? floor : goal; }
};

struct Check {
  std::string title;
  std::string source;  // where the published figures stand
  std::string note;    // what a reader must know to judge it; may be empty
  std::string fitted;  // which constants, "no" if none
  std::vector<Row> rows;
  std::vector<Result> results;  // empty: nothing is held

  bool is_fitted() const { return fitted != "no"; }
};

// Mean and largest error over the rows, held to `goal` and `floor`.
Result MeanError(const std::vector<Row>& rows, double goal, double floor);
Result WorstError(const std::vector<Row>& rows, double goal, double floor);

// The time of a collective on a slice, in us, with its band.
Row TimeRow(std::string what, const Slice& slice, const PriceRequest& request,
            std::optional<double> published);

// How many times longer `longer` takes than `shorter`, both of one generation.
Row RatioRow(std::string what, const Slice& longer, const Slice& shorter,
             const PriceRequest& request, std::optional<double> published);

// In seconds, without a band.
double TimeOf(const Slice& slice, const PriceRequest& request);

// The row's value could be `otherwise` too: added to its band in squares.
void AddDoubt(Row& row, double otherwise);

// A published time or rate for a size.
struct Measured {
  std::int64_t bytes = 0;
  double value = 0;
};
std::string BytesText(std::int64_t bytes);

// So many chips with that slice's figures in a line, or around a ring.
Slice LineOf(const std::string& name, int chips, bool wraps);

// A copy of so many bytes to the chip that many hops away, in us.
Row CopyRow(std::string what, const Slice& slice, int hops, std::int64_t bytes,
            std::optional<double> published);

// The slice by that name. REQUIRES: there is one.
Slice SliceNamed(const std::string& name, const SliceOptions& options = {});

// Of the shipped hardware. REQUIRES: there is one of that name.
const Generation& GenerationOf(const Slice& slice);
const Generation& GenerationNamed(const std::string& name);

// What must hold, in the order in which it is shown.
std::vector<Check> HeldChecks();
// Further measurements, which hold nothing.
std::vector<Check> OtherChecks();

}  // namespace podsim::validation

#endif  // PODSIM_BENCH_VALIDATION_CHECK_H_
