// A benchmark whose speed is told beside the machine's copy bandwidth: memcpy
// of as many bytes, measured in the same process just before.
//
//   TimeBesideCopy(state, bytes, [&] { ReduceReceived(rules, parts, mine); });
//
// sets bytes_per_second and of_copy, which is 1 for something as fast as
// memcpy. Both count the bytes given, of one buffer, whatever else is read or
// written.
#ifndef PODSIM_BENCH_BESIDE_COPY_H_
#define PODSIM_BENCH_BESIDE_COPY_H_

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace podsim {

// Two buffers, each from the beginning of a page on: where a copy's ends lie a
// few bytes off each other within their pages, memcpy takes twenty times as
// long on some CPUs (docs/performance.md).
class CopyBuffers {
 public:
  explicit CopyBuffers(std::int64_t bytes);

  void Copy();
  bool copied() const;

 private:
  struct alignas(4096) Page {
    std::byte bytes[4096];
  };
  std::size_t size_;
  std::vector<Page> from_;
  std::vector<Page> to_;
};

// CPU time of this thread: what others run meanwhile does not count.
double ThreadSeconds();

// Bytes per second that memcpy moves, the median of some tries.
double CopyBytesPerSecond(std::int64_t bytes);

template <typename Work>
void TimeBesideCopy(benchmark::State& state, std::int64_t bytes,
                    const Work& work) {
  const double copy = CopyBytesPerSecond(bytes);
  const double begin = ThreadSeconds();
  for (auto _ : state) {
    work();
    benchmark::ClobberMemory();
  }
  const double seconds = ThreadSeconds() - begin;
  const std::int64_t done = state.iterations() * bytes;
  state.SetBytesProcessed(done);
  state.counters["of_copy"] = static_cast<double>(done) / seconds / copy;
}

}  // namespace podsim

#endif  // PODSIM_BENCH_BESIDE_COPY_H_
