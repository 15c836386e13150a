// What the faults of a job came to: how many struck, were noticed and were
// recovered from, from the job's own events, and where that differs from what
// was planned. Pure.
//
//   FaultMeter meter;
//   for (const JobEvent& event : events) meter.OnEvent(event);
//   Print(FormatFaults(meter.Account()));
//
// Detected: the pod fails of it. What corrupts must be called corruption, and
// by the right name: a gradient by the audit of that step, weights at the
// process that has them, a frame in the step in which it was sent; a failure of
// another kind counts for what kills, freezes, cuts or spoils storage. SLOW and
// DELAY are to be lived with, so there it is a step that takes (half of) the
// time. Recovered: the job finishes the step that was struck, or a later one,
// after that.
#ifndef PODSIM_RUNTIME_REPORT_FAULT_ACCOUNT_H_
#define PODSIM_RUNTIME_REPORT_FAULT_ACCOUNT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "proto/event.pb.h"

namespace podsim {

struct FaultAccount {
  int planned = 0;
  int injected = 0;
  int detected = 0;
  int recovered = 0;
  std::int64_t steps_lost = 0;  // finished, and made again
  // What should not be, one line each: a fault that did not strike or struck
  // twice or unplanned, one that nobody noticed, a failure that no fault
  // explains.
  std::vector<std::string> complaints;
};

// One thread at a time.
class FaultMeter {
 public:
  // In the order in which they happened.
  void OnEvent(const JobEvent& event);
  FaultAccount Account() const;

 private:
  struct Struck {
    int index = 0;
    Fault fault;
    std::int64_t step = 0;
    double wall_time = 0;
    bool detected = false;
    bool restarted = false;  // the pod formed again after it was detected
    bool recovered = false;
  };

  void OnFormed(const PodFormed& formed);
  void OnStruck(const FaultStruck& event, double wall_time);
  void OnStep(const StepDone& step);
  // `failed`: the coordinator's verdict; nullptr: it has none, it is gone.
  void OnFailure(const JobFailed* failed, const std::string& why);
  bool Explains(const Struck& struck, const JobFailed* failed) const;
  void OnDone(double wall_time);
  void ComplainOfStruck(const Struck& struck);
  std::string NameOf(int index, const Fault& fault) const;

  JobPlan plan_;  // of the first generation
  bool formed_ = false;
  bool down_ = false;
  bool done_ = false;
  std::int64_t first_step_ = 0;
  std::int64_t last_step_ = 0;
  std::int64_t steps_lost_ = 0;
  std::vector<Struck> struck_;
  std::vector<std::string> complaints_;
};

// "injected 3, detected 3, recovered 3, steps lost 12".
std::string FormatFaults(const FaultAccount& account);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_FAULT_ACCOUNT_H_
