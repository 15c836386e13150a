#include "runtime/bench/bench_flags.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/uri_store.h"
#include "runtime/bench/calibration.h"
#include "runtime/job/bench_plan.h"
#include "runtime/pod/elsewhere.h"
#include "settings/command_line.h"
#include "settings/programs.h"

namespace podsim {
namespace {

// nccl-tests count ranks by threads and GPUs; here the slice says.
absl::Status CheckOne(const char* name, bool given, int value) {
  if (!given || value == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--", name, " is \"", value,
      "\"; only 1 is there: --topology (and --ranks) say how many ranks take "
      "part, such as --topology v3-64 for 8 hosts"));
}

// Results lie in files of this machine.
absl::Status CheckFiles(const BenchSettings& settings) {
  PODSIM_RETURN_IF_ERROR(
      Annotate(CheckPlainPath(settings.output_file()), "output_file"));
  return Annotate(CheckPlainPath(settings.write_choices()), "write_choices");
}

}  // namespace

absl::StatusOr<BenchFlags> ParseBenchFlags(const std::vector<std::string>& args,
                                           const Variables& variables) {
  BenchFlags flags;
  BenchSettings& settings = flags.settings;
  PODSIM_ASSIGN_OR_RETURN(
      CommandLine line,
      ParseCommandLine(PodBench(), args, variables,
                       {&flags.spec, flags.spec.mutable_bench(), &settings,
                        &flags.elsewhere}));
  flags.text = std::move(line.text);
  if (!flags.text.empty()) return flags;
  PODSIM_RETURN_IF_ERROR(
      CheckOne("nthreads", settings.has_nthreads(), settings.nthreads()));
  PODSIM_RETURN_IF_ERROR(
      CheckOne("ngpus", settings.has_ngpus(), settings.ngpus()));
  PODSIM_RETURN_IF_ERROR(CheckFiles(settings));
  BenchSpec complete = flags.spec.bench();
  FillBenchDefaults(complete);
  PODSIM_RETURN_IF_ERROR(CheckBench(complete));
  if (settings.has_write_choices())
    PODSIM_RETURN_IF_ERROR(CheckCalibration(complete));
  PODSIM_RETURN_IF_ERROR(CheckElsewhere(flags.elsewhere));
  return flags;
}

}  // namespace podsim
