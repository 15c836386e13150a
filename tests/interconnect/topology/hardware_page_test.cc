// docs/hardware.md repeats the files' figures for people: the table there is
// theirs, and every source has a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "interconnect/topology/hardware.h"

namespace podsim {
namespace {

using ::testing::HasSubstr;

std::string Page() {
  std::ifstream file(PODSIM_SOURCE_DIR "/docs/hardware.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Column {
  const char* name;
  const Figure& (Generation::*figure)() const;
  double unit;
  const char* suffix;
};

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMib = 1024.0 * 1024;

std::string Value(const Column& column, double value) {
  double unit = column.unit;
  std::string suffix = column.suffix;
  // Some vendors count memory by thousands.
  if (unit == kGib && std::fmod(value, kGib) != 0) {
    unit = 1e9;
    suffix = " GB";
  }
  return absl::StrCat(absl::StrFormat("%.4g", value / unit), suffix);
}

std::string PageCell(const Column& column, const Figure& figure) {
  if (figure.grade() == UNGRADED) return "-";
  std::string text = Value(column, figure.value());
  if (figure.low() > 0)
    absl::StrAppend(&text, " (", Value(column, figure.low()), " to ",
                    Value(column, figure.high()), ")");
  constexpr const char* kGrades[] = {"", "P", "S", "D", "A", "F"};
  absl::StrAppend(&text, " ", kGrades[figure.grade()]);
  if (!figure.source().empty())
    absl::StrAppend(&text, " [", figure.source(), "]");
  return text;
}

TEST(HardwarePage, HasTheFilesFigures) {
  const std::string page = Page();
  const Column columns[] = {
      {"bfloat16 peak of a chip", &Generation::matrix_flops_per_second, 1e12,
       " TFLOP/s"},
      {"matrix units a core", &Generation::matrix_units_per_core, 1, ""},
      {"side of a matrix unit", &Generation::matrix_unit_side, 1, ""},
      {"clock", &Generation::clock_hz, 1e6, " MHz"},
      {"HBM of a chip", &Generation::hbm_bytes, kGib, " GiB"},
      {"HBM that the system keeps, of a core or a chip that acts as one",
       &Generation::hbm_reserved_bytes, kMib, " MiB"},
      {"HBM bandwidth of a chip", &Generation::hbm_bytes_per_second, 1e9,
       " GB/s"},
      {"vector memory of a core", &Generation::vector_memory_bytes_per_core,
       kMib, " MiB"},
      {"from the host, per chip", &Generation::host_bytes_per_second, 1e9,
       " GB/s"},
      {"vector operations a cycle, of a core",
       &Generation::vector_flops_per_cycle_per_core, 1, ""},
      {"vector operations of an exponential or a root",
       &Generation::transcendental_flops, 1, ""},
      {"share of the matrix unit that a kernel reaches",
       &Generation::matrix_share, 1, ""},
      {"share of HBM's bandwidth that a kernel reaches", &Generation::hbm_share,
       1, ""},
      {"fixed cost of a kernel", &Generation::kernel_seconds, 1e-6, " us"},
      {"fixed cost of a step", &Generation::step_seconds, 1e-3, " ms"},
      {"start of a job", &Generation::start_seconds, 1, " s"},
      {"start of a job, for each chip", &Generation::start_seconds_per_chip, 1,
       " s"},
      {"room on chip for values between kernels", &Generation::on_chip_bytes,
       kMib, " MiB"},
      {"links of a chip", &Generation::links, 1, ""},
      {"link, one direction", &Generation::link_bytes_per_second, 1e9, " GB/s"},
      {"hop", &Generation::hop_seconds, 1e-6, " us"},
      {"share of a link that collectives reach", &Generation::link_share, 1,
       ""},
      {"software, a collective", &Generation::collective_seconds, 1e-6, " us"},
      {"piece that cores add up first", &Generation::core_piece_bytes, kMib,
       " MiB"}};
  for (const Column& column : columns) {
    std::string row = absl::StrCat("| ", column.name, " |");
    for (const Generation& generation : ShippedHardware().generations())
      absl::StrAppend(&row, " ",
                      PageCell(column, (generation.*column.figure)()), " |");
    EXPECT_THAT(page, HasSubstr(row + "\n"));
  }
}

TEST(HardwarePage, SaysWhatEverySourceIs) {
  const std::string page = Page();
  const std::string sources = page.substr(page.find("## Sources"));
  for (const Generation& generation : ShippedHardware().generations()) {
    for (const auto& [name, figure] : FiguresIn(generation)) {
      const std::vector<std::string> keys =
          absl::StrSplit(figure->source(), ", ", absl::SkipEmpty());
      for (const std::string& key : keys)
        EXPECT_THAT(sources, HasSubstr(key))
            << generation.name() << " " << name;
    }
  }
}

}  // namespace
}  // namespace podsim
