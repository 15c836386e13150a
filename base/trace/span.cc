#include "base/trace/span.h"

namespace podsim {
namespace {

// The finalizer of splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t Mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

std::uint64_t Joined(std::uint64_t hash, std::uint64_t value) {
  return Mixed(hash + 0x9e3779b97f4a7c15U + value);
}

}  // namespace

std::uint64_t FlowOf(const FlowKey& key) {
  std::uint64_t hash = 0;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(key.from),
        static_cast<std::uint64_t>(key.to), std::uint64_t{key.generation},
        std::uint64_t{key.group}, key.sequence, std::uint64_t{key.chunk}})
    hash = Joined(hash, part);
  return hash == 0 ? 1 : hash;
}

}  // namespace podsim
