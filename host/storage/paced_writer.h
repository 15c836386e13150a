// Writes now and then, on a thread of its own, what other threads add: these
// never wait for a disk or a store. What is written, and where, is the owner's.
//
//   PacedWriter writer({.interval = std::chrono::seconds(1)},
//                      [shared] { return shared->Write(); });
//   shared->Add(text);
//   writer.Wake();
//   writer.Close();
#ifndef PODSIM_HOST_STORAGE_PACED_WRITER_H_
#define PODSIM_HOST_STORAGE_PACED_WRITER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace podsim {

// When it writes.
struct WritePace {
  std::chrono::milliseconds first{0};  // from the writer's beginning
  // From one write to the next, at least; ten times as long as the last one
  // took, or so great a part of the time since the writer's beginning, if that
  // is longer.
  std::chrono::milliseconds interval{0};
  double part_of_run = 0;
};

// What a write came to.
enum class Written : std::uint8_t {
  kAll,
  kSomeLeft,  // another one may mend it
  kGivenUp,   // there shall be no other
};

// Wake may be called from any thread; the rest by one.
class PacedWriter {
 public:
  // `write` is called from the thread, and takes what there is by then.
  PacedWriter(const WritePace& pace, std::function<Written()> write);
  ~PacedWriter();  // Close
  PacedWriter(const PacedWriter&) = delete;
  PacedWriter& operator=(const PacedWriter&) = delete;

  // There is something to write. Does not block.
  void Wake();
  // Blocks until all is written, or `write` has failed once more, however long
  // that takes.
  void Close();
  // Likewise, but no longer than `limit`. False: a write hangs. Its thread is
  // left to itself, and ends when that write does: REQUIRES that `write` owns,
  // or shares, all that it uses.
  bool CloseWithin(std::chrono::nanoseconds limit);

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::jthread thread_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_PACED_WRITER_H_
