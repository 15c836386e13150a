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

// Two buffers, the first from the beginning of a page on, the second from
// `offset` bytes into one. Some CPUs copy at a twentieth of their speed where a
// copy goes to a few bytes behind its source's place in the page
// (docs/performance.md), as between two vectors of malloc's.
class CopyBuffers {
 public:
  // REQUIRES: offset is at most a page.
  explicit CopyBuffers(std::int64_t bytes, std::int64_t offset = 0);
  CopyBuffers(const CopyBuffers&) = delete;
  CopyBuffers& operator=(const CopyBuffers&) = delete;

  void Copy();
  bool copied() const;

 private:
  struct alignas(4096) Page {
    std::byte bytes[4096];
  };
  std::size_t size_;
  std::vector<Page> from_pages_;
  std::vector<Page> to_pages_;
  std::byte* to_;
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
