// What SIGTERM does to a host process: a notice of preemption is passed on, so
// that the pod can finish its step and save; a second one, or one that nobody
// can use, ends the process as if nothing had been done about it.
//
//   BlockTermination();          // in main, before any thread starts
//   Termination termination([&] { return TellCoordinator(); });
#ifndef PODSIM_HOST_PROCESS_TERMINATION_H_
#define PODSIM_HOST_PROCESS_TERMINATION_H_

#include <functional>
#include <thread>

namespace podsim {

// For this thread and those it starts.
void BlockTermination();

class Termination {
 public:
  // `on_notice` is called at most once, from a thread of this object's; false:
  // nobody will act on it.
  explicit Termination(std::function<bool()> on_notice);
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

 private:
  std::jthread watcher_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_TERMINATION_H_
