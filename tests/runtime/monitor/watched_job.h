// A job as readers of its events see it, made up: v3-32 as two processes of two
// hosts each.
#ifndef PODSIM_TESTS_RUNTIME_MONITOR_WATCHED_JOB_H_
#define PODSIM_TESTS_RUNTIME_MONITOR_WATCHED_JOB_H_

#include <cstdint>
#include <string>

#include "base/units.h"
#include "job/phases.h"
#include "proto/watch.pb.h"
#include "runtime/monitor/job_state.h"

namespace podsim::testing {

inline WatchedEvent Watched(std::uint64_t sequence, const JobEvent& event,
                            std::uint32_t generation = 1) {
  WatchedEvent watched;
  watched.set_generation(generation);
  watched.set_sequence(sequence);
  *watched.mutable_event() = event;
  return watched;
}

inline JobEvent FormedJob(const std::string& slice = "v3-32") {
  JobEvent event;
  PodFormed& formed = *event.mutable_formed();
  JobPlan& plan = *formed.mutable_plan();
  plan.mutable_bits()->set_slice(slice);
  plan.mutable_bits()->mutable_model()->set_name("mlp");
  plan.set_train_steps(100);
  plan.set_global_batch(64);
  plan.set_program("not for readers");
  plan.add_first_host(0);
  plan.add_first_host(2);
  plan.mutable_core_memory()->set_parameters(kGiB);
  plan.mutable_core_memory()->set_activations(kGiB / 2);
  for (int p = 0; p < 2; ++p) {
    ProcessInfo& process = *formed.add_processes();
    process.set_process(p);
    process.set_pid(4711 + p);
    process.set_hostname("box");
    process.set_first_host(2 * p);
    process.set_hosts(2);
  }
  return event;
}

inline JobEvent StartedJob() {
  JobEvent event;
  event.mutable_started();
  return event;
}

// 0.1 s, of which process 0 is busy 70% and process 1 50%.
inline JobEvent StepOfJob(std::int64_t step) {
  JobEvent event;
  event.set_wall_time(1000 + static_cast<double>(step));
  StepDone& done = *event.mutable_step();
  done.set_step(step);
  done.set_examples(64 * step);
  done.set_seconds(0.1);
  AddSeconds(kUpdatePhase, 0.01, *done.mutable_phases());
  done.set_learning_rate(0.25);
  done.set_last_process(0);
  for (const float seconds : {0.01F, 0.02F})
    AddOfProcess(kInputPhase, seconds, done);
  for (const float seconds : {0.06F, 0.04F})
    AddOfProcess(kComputePhase, seconds, done);
  for (const float seconds : {0.0F, 0.03F})
    done.add_process_seconds_waited(seconds);
  MetricSum& loss = *done.add_metrics();
  loss.set_name("loss");
  loss.set_total(12.5);
  loss.set_weight(50);
  return event;
}

inline JobState TrainingState(const std::string& slice = "v3-32") {
  JobState state;
  Fold(Watched(1, FormedJob(slice)), state);
  Fold(Watched(2, StartedJob()), state);
  for (std::int64_t step = 1; step <= 12; ++step)
    Fold(Watched(static_cast<std::uint64_t>(step) + 2, StepOfJob(step)), state);
  return state;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_MONITOR_WATCHED_JOB_H_
