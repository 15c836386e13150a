#include "runtime/bench/calibration.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "job/bench_cases.h"
#include "settings/words.h"

namespace podsim {
namespace {

// In the order of the algorithms, which decides between equals.
using Seconds = std::map<Algorithm, double>;
using SecondsBySize = std::map<std::int64_t, Seconds>;

absl::Status Refuse(const std::string& given, const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat("--write_choices with ", given, "; ", allowed));
}

absl::Status CheckFit(const std::string& flag, const char* example,
                      const std::vector<std::string>& list) {
  if (list.size() == 1 && list[0] != "all") return absl::OkStatus();
  return Refuse(absl::StrCat(flag, " ", absl::StrJoin(list, ",")),
                absl::StrCat("a table is measured with one of them: give one, "
                             "such as ",
                             example));
}

std::int64_t TravellingBytes(const BenchSpec& bench, const BenchRow& row) {
  const bool narrow = row.datatype() == "float" &&
                      bench.wire_dtype() == words::WireType::bfloat16;
  return narrow ? row.bytes() / 2 : row.bytes();
}

absl::Status CheckVerified(std::span<const BenchRow> rows) {
  if (rows.empty())
    return absl::FailedPreconditionError("nothing was measured");
  std::int64_t wrong = 0;
  for (const BenchRow& row : rows) {
    for (const BenchTiming* timing : {&row.out_of_place(), &row.in_place()}) {
      if (timing->wrong() < 0) {
        return absl::FailedPreconditionError(absl::StrCat(
            row.algorithm(), " of ", row.bytes(), " bytes was not verified"));
      }
      wrong += timing->wrong();
    }
  }
  if (wrong == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      wrong, wrong == 1 ? " element was" : " elements were", " wrong"));
}

absl::StatusOr<SecondsBySize> Sort(const BenchSpec& bench,
                                   std::span<const BenchRow> rows) {
  SecondsBySize sizes;
  std::set<Algorithm> algorithms;
  for (const BenchRow& row : rows) {
    const auto algorithm = AlgorithmNamed(row.algorithm());
    PODSIM_CHECK(algorithm.has_value());
    algorithms.insert(*algorithm);
    // Sizes that are rounded to the same one are one: the last counts.
    sizes[TravellingBytes(bench, row)][*algorithm] =
        row.in_place().median_seconds();
  }
  for (const auto& [bytes, seconds] : sizes) {
    for (const Algorithm algorithm : algorithms) {
      if (seconds.contains(algorithm) && seconds.at(algorithm) > 0) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("no time of ", std::string(NameOf(algorithm)), " for ",
                       bytes, " bytes"));
    }
  }
  return sizes;
}

Algorithm FastestOf(const Seconds& seconds) {
  auto fastest = seconds.begin();
  for (auto at = seconds.begin(); at != seconds.end(); ++at) {
    if (at->second < fastest->second) fastest = at;
  }
  return fastest->first;
}

std::int64_t GeometricMean(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      std::sqrt(static_cast<double>(a) * static_cast<double>(b)));
}

}  // namespace

absl::Status CheckCalibration(const BenchSpec& bench) {
  if (bench.algorithm_size() != 1 ||
      bench.algorithm(0) != words::BenchAlgorithm::all) {
    const std::vector<std::string> algorithms =
        WordsIn<words::BenchAlgorithm::Word>(bench.algorithm());
    return Refuse(absl::StrCat("algo ", absl::StrJoin(algorithms, ",")),
                  "a table compares all algorithms: give --algo=all");
  }
  PODSIM_RETURN_IF_ERROR(
      CheckFit("datatype", "-d float",
               WordsIn<words::DataType::Word>(bench.datatype())));
  PODSIM_RETURN_IF_ERROR(
      CheckFit("op", "-o sum", WordsIn<words::Operation::Word>(bench.op())));
  if (bench.root_size() != 1 || bench.root(0) < 0) {
    return Refuse("several roots", "give one, such as -r 0");
  }
  if (bench.run_cycles() != 1) {
    return Refuse(absl::StrCat("run_cycles ", bench.run_cycles()),
                  "a table is of one cycle: leave -N out, and raise -n to "
                  "measure for longer");
  }
  if (bench.check() == 0) {
    return Refuse("check 0",
                  "a table is of verified results: give -c 1 or more");
  }
  if (bench.ranks() != words::RankKind::hosts) {
    return Refuse(absl::StrCat("ranks ", WordOf(bench.ranks())),
                  "algorithms are chosen for hosts: leave --ranks at hosts");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ChoiceRow>> Calibrate(
    const BenchSpec& bench, std::span<const BenchRow> rows) {
  PODSIM_RETURN_IF_ERROR(CheckVerified(rows));
  PODSIM_ASSIGN_OR_RETURN(const SecondsBySize sizes, Sort(bench, rows));
  std::vector<ChoiceRow> table;
  std::int64_t before = 0;
  for (const auto& [bytes, seconds] : sizes) {
    const Algorithm fastest = FastestOf(seconds);
    const bool leads = table.empty() || seconds.at(table.back().algorithm) >
                                            kLead * seconds.at(fastest);
    if (leads) {
      if (!table.empty()) {
        table.back().most_bytes = GeometricMean(before, bytes);
      }
      table.push_back({.collective = CollectiveOf(bench),
                       .most_ranks = rows.front().ranks(),
                       .algorithm = fastest});
    }
    before = bytes;
  }
  return table;
}

}  // namespace podsim
