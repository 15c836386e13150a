// Measurements that hold nothing: what the model makes of figures that it was
// not made for.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "bench/validation/check.h"

namespace podsim::validation {
namespace {

Check RingsOfV5e() {
  Check check = {
      .title = "All-gathers around a ring of 16 v5e chips",
      .source = "SB-fig",
      .note =
          "The wrapped axis of 8 x 16 chips, eight rings at once. Read off "
          "a figure, to 1 to 3 %.",
      .fitted = "link_share of v5e, to the two largest"};
  const Slice ring = LineOf("v5litepod-128", 16, true);
  for (const Measured& row :
       {Measured{131'072, 15.4}, Measured{524'288, 19.4},
        Measured{4'194'304, 58.0}, Measured{16'777'216, 194},
        Measured{134'217'728, 1500}, Measured{1'073'741'824, 11910}})
    check.rows.push_back(TimeRow(
        BytesText(row.bytes), ring,
        {.collective = Collective::kAllGather, .bytes = row.bytes}, row.value));
  return check;
}

Check PairsOfV5e() {
  Check check = {.title = "All-reduce of two v5e chips",
                 .source = "SB-fig",
                 .note = "bfloat16. Read off a profile, to 1.5 %.",
                 .fitted = "no"};
  check.rows = {TimeRow(BytesText(16'777'216), LineOf("v5litepod-16", 2, false),
                        {.bytes = 16'777'216, .element_bytes = 2}, 378)};
  return check;
}

Check Copies() {
  Check check = {.title = "Copies to a neighbour",
                 .source =
                     "PALLAS-tut (v4, a kernel); MARIN (v5p and v6e, ppermute "
                     "repeated inside a program)",
                 .note = "v4's cycles at 1,050 MHz.",
                 .fitted = "no"};
  constexpr double kV4Cycle = 1 / 1050.0;  // us
  const Slice v4 = SliceNamed("v4-16");
  check.rows = {
      CopyRow("v4, 1 MiB, 1 hop", v4, 1, 1 << 20, 28'626 * kV4Cycle),
      CopyRow("v4, 1 MiB, 2 hops", v4, 2, 1 << 20, 28'658 * kV4Cycle)};
  for (const auto& [name, times] :
       {std::pair("v5p-8", std::pair(16.94, 781.98)),
        std::pair("v6e-8", std::pair(17.45, 776.34))}) {
    const Slice slice = SliceNamed(name);
    check.rows.push_back(CopyRow(absl::StrCat(slice.generation, ", 1 MiB"),
                                 slice, 1, 1 << 20, times.first));
    check.rows.push_back(CopyRow(absl::StrCat(slice.generation, ", 64 MiB"),
                                 slice, 1, 64 << 20, times.second));
  }
  return check;
}

Check OtherReadingOfTpu7x() {
  Check check = {
      .title = "All-gathers of 2x2x1 tpu7x chips, read another way",
      .source = "AMB, guide all_gather.md, 2x2x1",
      .note =
          "The same times as above with the printed data taken for the "
          "gathered array. The table's own shapes speak against it (the "
          "output of the last row has 268 MB, not 403), and a link rate "
          "that fits it, 67 GB/s, would make the all-to-all below 38 % too "
          "slow.",
      .fitted = "no"};
  const Slice slice = SliceNamed("tpu7x-8");
  for (const Measured& row :
       {Measured{1'572'864, 21.92}, Measured{6'291'456, 48.70},
        Measured{25'165'824, 155.44}, Measured{100'663'296, 575.99},
        Measured{402'653'184, 2252.3}})
    check.rows.push_back(TimeRow(
        BytesText(row.bytes), slice,
        {.collective = Collective::kAllGather, .bytes = row.bytes}, row.value));
  return check;
}

Check LargerSlicesOfTpu7x() {
  Check check = {
      .title = "Sums and exchanges of 2x2x4 tpu7x chips",
      .source = "AMB-71 and AMB-73",
      .note =
          "float32, all 32 devices. The sums are from a report that calls "
          "their rates a tenth of what was expected. They would need a "
          "collective_seconds of 88 to 103 us; fitted to the all-gathers it "
          "is 11.5, and its range was made to end at 105: that they lie "
          "inside shows nothing. The all-to-all's time is from its printed "
          "rate, 43 GB/s = 30/32 of the buffer over the time.",
      .fitted = "no"};
  const Slice slice = SliceNamed("tpu7x-32");
  for (const Measured& row :
       {Measured{2'097'152, 123.76}, Measured{4'194'304, 129.91},
        Measured{8'388'608, 162.32}})
    check.rows.push_back(
        TimeRow(absl::StrCat("all-reduce, ", BytesText(row.bytes)), slice,
                {.bytes = row.bytes}, row.value));
  check.rows.push_back(
      TimeRow(absl::StrCat("all-to-all, ", BytesText(32 << 20)), slice,
              {.collective = Collective::kAllToAll, .bytes = 32 << 20},
              (32 << 20) * 30.0 / 32 / 43e3));
  return check;
}

}  // namespace

std::vector<Check> OtherChecks() {
  return {RingsOfV5e(), PairsOfV5e(), Copies(), OtherReadingOfTpu7x(),
          LargerSlicesOfTpu7x()};
}

}  // namespace podsim::validation
