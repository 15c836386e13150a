// What a metrics file says of a run, as columns of numbers and a few records:
// all that pages draw and the diagnosis judges. Times are wall time unless
// they are called sim; seconds, bytes and parts of 1 throughout. A figure that
// the file does not have is NaN or nullopt; of a step one that was not finite,
// which JSON has as null, is infinity.
#ifndef PODSIM_RUNTIME_REPORT_RUN_RECORDS_H_
#define PODSIM_RUNTIME_REPORT_RUN_RECORDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace podsim {

// Of a step; metrics_lines.h and proto/event.proto say what each is.
enum class StepFigure : std::uint8_t {
  kLoss,
  kAccuracy,
  kLearningRate,
  kRate,     // examples/s, wall
  kSeconds,  // of the process that came last, as the five below
  kInput,
  kCompute,
  kReduce,
  kUpdate,
  kOther,
  kRead,  // making batches beside the step: means over hosts
  kDecode,
  kAugment,
  kCopy,
  kSimSeconds,
};
inline constexpr int kStepFigures =
    static_cast<int>(StepFigure::kSimSeconds) + 1;
// Those of kPhaseNames (job/phases.h).
inline constexpr std::array kPhaseFigures = {
    StepFigure::kInput, StepFigure::kCompute, StepFigure::kReduce,
    StepFigure::kUpdate, StepFigure::kOther};

// Rows are steps, ascending and each once: of a step that was made again the
// last one counts.
struct StepTable {
  std::vector<std::int64_t> step;
  std::vector<double> wall_time;  // of the step's end, since 1970
  // The first step of a pod, which pays for the start.
  std::vector<bool> begins;
  std::array<std::vector<double>, kStepFigures> figures;
  std::map<std::string, std::vector<double>> own;  // the model's own metrics
  // Phases of the step that this build does not know, by name.
  std::map<std::string, std::vector<double>> phases;

  std::size_t size() const { return step.size(); }
  const std::vector<double>& operator[](StepFigure figure) const {
    return figures[static_cast<std::size_t>(figure)];
  }
};

// One step of every process; three lists of the same length.
struct HostsStep {
  std::int64_t step = 0;
  bool begins = false;
  double seconds = 0;
  std::vector<float> input;
  std::vector<float> compute;
  std::vector<float> waited;  // for the last one; empty: one process
};

struct EvalRecord {
  std::int64_t step = 0;
  std::optional<double> loss;
  std::optional<double> accuracy;
  std::map<std::string, double> own;
};

struct CheckpointRecord {
  std::int64_t step = 0;
  double wall_time = 0;  // of its commit
  std::int64_t bytes = 0;
  double paused = 0;
  double written = 0;
  bool skipped = false;
};

// A restart, a resume, or a fault that was injected.
struct Incident {
  enum class Kind : std::uint8_t { kRestart, kResume, kFault };
  Kind kind = Kind::kRestart;
  double wall_time = 0;
  std::int64_t step = 0;
  std::string what;  // the reason; the checkpoint; "SLOW"
  // Faults only.
  int host = 0;
  int to = 0;
  double seconds = 0;
  std::string phase;
};

struct FailureRecord {
  double wall_time = 0;
  std::string process;  // "host2"
  std::string how;
  std::int64_t step = 0;
  std::string phase;
  std::string message;
};

// Of a step on the pod; all of it sim.
struct ForecastRecord {
  double step = 0;
  double low = 0;
  double high = 0;
  double input = 0;  // what the step waits for it, beyond all the rest
  double compute = 0;
  double all_reduce = 0;
  double exposed = 0;  // of it
  double update = 0;
  double fixed = 0;
  double store = 0;
  double reduce_bound = 0;
  std::string how;
  std::optional<double> efficiency;  // scaling efficiency
  std::string reference_slice;
  std::int64_t reference_batch = 0;  // per core or chip
  std::vector<std::string> link_faults;
  std::optional<double> sound_step;
};

struct PlanRecord {
  std::map<std::string, std::string> settings;  // by flag
  std::string hash;
  std::string slice;
  std::string model;
  std::string dataset;
  std::string replica = "core";
  std::string command;
  std::string cpu;
  int cpus = 0;
  int hosts = 0;
  int cores = 0;
  int processes = 0;
  std::vector<int> first_host;  // by process; empty: not known
  std::int64_t batch_per_core = 0;
  std::int64_t global_batch = 0;
  std::int64_t train_steps = 0;
  std::int64_t total_examples = 0;
  double learning_rate = 0;
  std::string optimizer;
  std::int64_t hbm_bytes = 0;
  std::int64_t hbm_available = 0;
  std::vector<std::pair<std::string, std::int64_t>> hbm;  // parts of hbm_bytes
  std::int64_t bytes_per_process = 0;  // of this machine's memory, planned
  std::int64_t bytes_per_host = 0;
  std::vector<std::string> warnings;
};

struct SummaryRecord {
  bool drained = false;
  std::string weights_hash;
  std::optional<double> eval_loss;
  std::optional<double> eval_accuracy;
  std::optional<double> recipe_accuracy;
  std::optional<bool> recipe_kept;
  std::int64_t recipe_examples = 0;  // that the recipe trains on; 0: not known
  std::optional<double> overlap_hidden;  // part of the all-reduce
  std::optional<double> serial_all_reduce;
  std::optional<double> mfu;  // sim
  // Seconds by name, the productive ones first; empty: not known.
  std::vector<std::pair<std::string, double>> goodput;
};

struct RunRecords {
  std::string path;
  PlanRecord plan;
  std::optional<ForecastRecord> forecast;
  StepTable steps;
  // At most kMostHostsSteps of them, evenly over the run.
  std::vector<HostsStep> hosts_steps;
  std::vector<EvalRecord> evals;
  std::vector<CheckpointRecord> checkpoints;
  std::vector<Incident> incidents;
  std::optional<FailureRecord> failure;
  std::optional<SummaryRecord> summary;
  double first_wall_time = 0;  // of any line; 0: none has one
  double last_wall_time = 0;
  std::int64_t steps_lost = 0;  // finished, and made again
  double seconds_lost = 0;      // of those
  std::int64_t bad_lines = 0;   // that are no record, but for the last
  bool cut_off = false;         // the last line is not whole
  // The number of the first that is no record, the last one too; from 1, 0:
  // none.
  std::int64_t first_bad_line = 0;
};

// Medians over so many are those over all, to about 1%.
inline constexpr std::size_t kMostHostsSteps = 4096;

// "host 2", "hosts 4-7": those of a process.
std::string HostsText(const PlanRecord& plan, int process);
// The process that plays a host.
int ProcessOfHost(const PlanRecord& plan, int host);

// The setting's text, or `otherwise`.
std::string SettingText(const PlanRecord& plan, const std::string& flag,
                        const std::string& otherwise = "");

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_RUN_RECORDS_H_
