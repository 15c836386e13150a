#include "runtime/coordinator/side_figure.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <iostream>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/signals_blocked.h"

namespace podsim {
namespace {

std::atomic<int> side_figures = 0;

}  // namespace

struct SideFigure::Shared {
  Mutex mutex;
  std::optional<double> figure PODSIM_GUARDED_BY(mutex);
};

SideFigure::SideFigure(Make make) : shared_(std::make_shared<Shared>()) {
  const SignalsBlocked blocked;
  ++side_figures;
  std::thread([make = std::move(make), shared = shared_]() mutable {
    const absl::StatusOr<double> figure = make();
    if (figure.ok()) {
      MutexLock lock(shared->mutex);
      shared->figure = *figure;
    }
    // What it owns goes before it counts as done.
    make = nullptr;
    shared.reset();
    --side_figures;
  }).detach();
}

std::optional<double> SideFigure::Get() const {
  MutexLock lock(shared_->mutex);
  return shared_->figure;
}

int SideFigure::Running() { return side_figures; }

int SideFigure::EndProcess(int code) {
  if (Running() == 0) return code;
  std::cout.flush();
  std::fflush(nullptr);
  _exit(code);
}

}  // namespace podsim
