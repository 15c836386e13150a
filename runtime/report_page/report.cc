#include "runtime/report_page/report.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/storage/uri_store.h"
#include "job/traced_steps.h"
#include "proto/programs.pb.h"
#include "runtime/files/output_clash.h"
#include "runtime/files/output_files.h"
#include "runtime/report/run_files.h"
#include "runtime/report_page/chart_svg.h"
#include "runtime/report_page/page.h"
#include "runtime/report_page/remade.h"
#include "settings/command_line.h"
#include "settings/pasted.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr int kUnreadable = 1;
constexpr int kRefused = 2;
constexpr char kPage[] = "report.html";  // as proto/programs.proto says

// "a.jsonl: 2 lines left out, ..."; empty: all are records.
std::string LeftOutText(const RunRecords& run) {
  if (run.bad_lines == 0) return "";
  return absl::StrCat(run.path, ": ", FormatCounted(run.bad_lines, "line"),
                      " left out, no record of a run; the first is line ",
                      run.first_bad_line,
                      ": what follows is judged without it; copy the file "
                      "again if pod_launch wrote it whole");
}

// "a.jsonl: no line "plan", ..."; empty: it has one.
std::string NoPlanText(const RunRecords& run) {
  if (!run.plan.hash.empty() || run.steps.size() == 0) return "";
  return absl::StrCat(run.path,
                      ": no line \"plan\": what follows is judged without the "
                      "run's settings, its length and its forecast; copy the "
                      "file again if pod_launch wrote it whole");
}

// `passed_over`: a line each.
absl::StatusOr<std::vector<RunRecords>> ReadAll(
    const ReportSettings& settings, ObjectStore& store,
    std::vector<std::string>& passed_over) {
  std::vector<RunRecords> runs;
  for (const std::string& path : settings.path()) {
    PODSIM_RETURN_IF_ERROR(CheckServed(path));
    PODSIM_ASSIGN_OR_RETURN(FoundRuns found, ReadRunsAt(store, path));
    for (const RunRecords& run : found.runs)
      for (std::string text : {LeftOutText(run), NoPlanText(run)})
        if (!text.empty()) passed_over.push_back(std::move(text));
    std::move(found.runs.begin(), found.runs.end(), std::back_inserter(runs));
    for (const std::string& each : found.passed_over)
      passed_over.push_back(absl::StrCat("passed over ", each));
  }
  return runs;
}

std::vector<JudgedRun> Judge(std::vector<RunRecords> runs) {
  const std::vector<std::string> names = NamesOfRuns(runs);
  std::vector<JudgedRun> judged;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Finding> found = Diagnose(runs[i]);
    judged.push_back({std::move(runs[i]), names[i], std::move(found)});
  }
  return judged;
}

// What is wrong, a line each.
std::string VerdictsText(const std::vector<JudgedRun>& runs) {
  std::string text;
  for (const JudgedRun& judged : runs) {
    absl::StrAppend(&text, judged.run.path, ": ",
                    Verdict(judged.run, judged.found), "\n");
    for (std::size_t i = 1; i < judged.found.size(); ++i)
      absl::StrAppend(&text, "  ", judged.found[i].sentence, "\n");
  }
  return text;
}

std::string DrawingOf(const std::vector<JudgedRun>& runs) {
  std::vector<const RunRecords*> records;
  std::vector<std::string> names;
  for (const JudgedRun& judged : runs) {
    records.push_back(&judged.run);
    names.push_back(judged.name);
  }
  return ChartsSvg(ChartsInShort(records, names));
}

bool DrawsTrace(const ReportSettings& settings) {
  return settings.has_trace() || settings.has_profile_dir();
}

absl::Status CheckTraceSteps(const ReportSettings& settings) {
  if (settings.has_trace_steps())
    PODSIM_RETURN_IF_ERROR(ParseStepRange(settings.trace_steps()).status());
  if (DrawsTrace(settings) || !settings.has_trace_steps())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--trace_steps is for a trace: add --trace=FILE, or leave it out");
}

// A folder below `folder` for each of several runs.
std::string BoardFolder(const std::string& folder,
                        const std::vector<JudgedRun>& runs, std::size_t run) {
  if (runs.size() == 1) return folder;
  std::string name = runs[run].name;
  std::replace(name.begin(), name.end(), '/', '_');
  return absl::StrCat(folder, "/", name);
}

// What a running job writes besides; returns what is to be said of it.
absl::StatusOr<std::string> Remake(const ReportSettings& settings,
                                   const std::vector<JudgedRun>& runs,
                                   ObjectStore& store) {
  std::string text;
  if (settings.has_tensorboard_dir()) {
    const std::string folder(
        absl::StripSuffix(settings.tensorboard_dir(), "/"));
    for (std::size_t i = 0; i < runs.size(); ++i)
      PODSIM_RETURN_IF_ERROR(
          RemakeBoard(store, runs[i].run.path, BoardFolder(folder, runs, i)));
    absl::StrAppend(&text, "event files: tensorboard --logdir ", folder, "\n");
  }
  if (!DrawsTrace(settings)) return text;
  if (runs.size() != 1)
    return absl::InvalidArgumentError(
        absl::StrCat(settings.has_trace() ? "--trace" : "--profile_dir",
                     " is of one run, and ", runs.size(),
                     " were given: give one metrics file"));
  PODSIM_ASSIGN_OR_RETURN(const std::string traced,
                          RemakeTrace(store, runs[0].run.path,
                                      {.trace = settings.trace(),
                                       .profile_dir = settings.profile_dir()},
                                      settings.trace_steps()));
  return text + traced;
}

// The page's name among the runs, which would be read over.
absl::Status CheckNoPageIsRead(const ReportSettings& settings) {
  std::string run = "RUN";
  for (const std::string& path : settings.path())
    if (!absl::EndsWith(path, ".html")) run = path;
  for (const std::string& path : settings.path())
    if (absl::EndsWith(path, ".html"))
      return absl::InvalidArgumentError(
          absl::StrCat(path,
                       " stands among the runs, but the page to write is named "
                       "by --output: pod_report ",
                       run, " --output=", path));
  return absl::OkStatus();
}

absl::StatusOr<std::string> Make(const ReportSettings& settings,
                                 ObjectStore& store,
                                 std::vector<std::string>& passed_over) {
  PODSIM_RETURN_IF_ERROR(CheckNoPageIsRead(settings));
  const std::string page = settings.has_output() ? settings.output() : kPage;
  const bool writes = settings.has_output() ||
                      !(settings.json() || settings.has_plot() ||
                        settings.has_tensorboard_dir() || DrawsTrace(settings));
  ReportSettings named = settings;
  if (writes) named.set_output(page);
  PODSIM_RETURN_IF_ERROR(CheckOutputFiles(named));
  PODSIM_RETURN_IF_ERROR(CheckTraceSteps(settings));
  NamedFiles files = FilesIn({&named});
  PODSIM_RETURN_IF_ERROR(CheckOutputsApart(files));
  if (writes) PODSIM_RETURN_IF_ERROR(CheckPageName("output", page));
  PODSIM_RETURN_IF_ERROR(
      CheckOutputFolder("tensorboard_dir", settings.tensorboard_dir()));
  PODSIM_RETURN_IF_ERROR(
      CheckOutputFolder("profile_dir", settings.profile_dir()));
  PODSIM_ASSIGN_OR_RETURN(std::vector<RunRecords> runs,
                          ReadAll(settings, store, passed_over));
  // Those of a folder too.
  for (const RunRecords& run : runs)
    files.read.push_back({.name = "path", .path = run.path});
  PODSIM_RETURN_IF_ERROR(CheckOutputsApart(files));
  const std::vector<JudgedRun> judged = Judge(std::move(runs));
  if (writes)
    PODSIM_RETURN_IF_ERROR(
        Annotate(store.Write(page, ReportPage(judged)), "--output"));
  if (settings.has_plot())
    PODSIM_RETURN_IF_ERROR(
        Annotate(store.Write(settings.plot(), DrawingOf(judged)), "--plot"));
  PODSIM_ASSIGN_OR_RETURN(const std::string remade,
                          Remake(settings, judged, store));
  if (settings.json()) return DiagnosisJson(judged);
  std::string text = VerdictsText(judged);
  if (writes) absl::StrAppend(&text, "written: ", page, "\n");
  if (settings.has_plot())
    absl::StrAppend(&text, "drawn as ", settings.plot(), "\n");
  text += remade;
  return Printable(text);
}

}  // namespace

ReportResult RunReport(const std::vector<std::string>& args,
                       ObjectStore& store) {
  const auto failed = [&](const absl::Status& status) {
    const bool refused =
        absl::IsNotFound(status) || absl::IsInvalidArgument(status);
    return ReportResult{
        .exit_code = refused ? kRefused : kUnreadable,
        .error = std::string(NamePasted(status, PodReport(), args).message())};
  };
  ReportSettings settings;
  absl::StatusOr<CommandLine> line =
      ParseCommandLine(PodReport(), args, /*variables=*/{}, {&settings});
  if (!line.ok()) return failed(line.status());
  if (!line->text.empty()) return {.text = std::move(line->text)};
  std::vector<std::string> passed_over;
  absl::StatusOr<std::string> text = Make(settings, store, passed_over);
  if (!text.ok()) return failed(text.status());
  return {.text = *std::move(text),
          .error = Printable(absl::StrJoin(passed_over, "\n"))};
}

}  // namespace podsim
