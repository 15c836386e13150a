// arc4random of GLIBC_2.36, for programs that are to run where glibc is older:
// the archives of libstdc++ (std::random_device) and gRPC call it. Linked into
// a program by podsim_program (cmake/PodsimTargets.cmake) when PODSIM_PORTABLE
// is on.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

// 32 random bits of the kernel's generator. Blocks only until that one is
// seeded, shortly after boot; aborts where the kernel has no getrandom, as
// glibc's own does.
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t bits = 0;
  // Up to 256 bytes come whole, or not at all when a signal interrupts the
  // wait.
  for (;;) {
    const ssize_t count = getrandom(&bits, sizeof bits, 0);
    if (count == sizeof bits) return bits;
    if (count < 0 && errno != EINTR) std::abort();
  }
}
