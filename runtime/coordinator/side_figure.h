// A figure that is computed beside the job and that nobody waits for, least of
// all the end of the process: its thread is left alone with what it owns.
//
//   SideFigure figure([plan] { return SecondsOf(plan); });
//   ... figure.Get() ...      // nullopt until it is there
//   }                         // does not wait
//   return SideFigure::EndProcess(code);  // last in main
#ifndef PODSIM_RUNTIME_COORDINATOR_SIDE_FIGURE_H_
#define PODSIM_RUNTIME_COORDINATOR_SIDE_FIGURE_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"

namespace podsim {

class SideFigure {
 public:
  using Make = std::function<absl::StatusOr<double>()>;

  // Calls `make` once, on a thread that takes no signals. It may run after this
  // object has gone: it must own all that it uses but what is static.
  explicit SideFigure(Make make);
  ~SideFigure() = default;
  SideFigure(const SideFigure&) = delete;
  SideFigure& operator=(const SideFigure&) = delete;

  // nullopt: not there yet, or it could not be made. Thread-safe.
  std::optional<double> Get() const;

  // How many of this process are still computed.
  static int Running();

  // `code`, for main to return. While one is still computed it ends the process
  // here, without the destructors of static objects, which it may be using.
  static int EndProcess(int code);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_COORDINATOR_SIDE_FIGURE_H_
