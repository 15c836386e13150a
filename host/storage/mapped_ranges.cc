#include "host/storage/mapped_ranges.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>

#include "base/mutex.h"
#include "base/printable.h"

namespace podsim {

// A place in a list that only grows, so that a signal's handler may walk it.
struct MappedNode {
  std::atomic<std::uintptr_t> begin{0};  // 0: free
  std::uintptr_t end = 0;                // these change only while it is free
  std::string path;
  std::string shown;  // on one line
  MappedNode* next = nullptr;
};

namespace {

std::atomic<MappedNode*> first_mapped{nullptr};
struct sigaction action_before;
Mutex ranges_mutex;  // of all that changes the list
bool handler_installed PODSIM_GUARDED_BY(ranges_mutex) = false;

// From here to OnBusError: what a signal's handler may do.
const MappedNode* NodeAt(std::uintptr_t address) {
  const MappedNode* node = first_mapped.load(std::memory_order_acquire);
  for (; node != nullptr; node = node->next) {
    const std::uintptr_t begin = node->begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address < node->end) return node;
  }
  return nullptr;
}

[[noreturn]] void EndFor(const MappedNode& node, std::uintptr_t offset) {
  static std::atomic<bool> said{false};
  while (said.exchange(true)) pause();  // another thread is at it
  const std::uintptr_t mapped =
      node.end - node.begin.load(std::memory_order_relaxed);
  struct stat now {};
  const bool shorter = stat(node.path.c_str(), &now) == 0 &&
                       static_cast<std::uintptr_t>(now.st_size) < mapped;
  std::array<char, 5120> line{};
  const int length =
      shorter
          ? std::snprintf(line.data(), line.size(),
                          "E %s: it was shortened from %zu to %lld bytes while "
                          "it was read; leave a data set as it is while a job "
                          "reads it, or rename a new file onto the old one\n",
                          node.shown.c_str(), static_cast<std::size_t>(mapped),
                          static_cast<long long>(now.st_size))
          : std::snprintf(line.data(), line.size(),
                          "E %s: offset %zu: it cannot be read any more: its "
                          "disk fails, or it was shortened meanwhile\n",
                          node.shown.c_str(), static_cast<std::size_t>(offset));
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line.data(),
            std::min(static_cast<std::size_t>(length), line.size() - 1));
  _exit(1);
}

void OnBusError(int signal, siginfo_t* info, void* /*context*/) {
  const bool of_kernel = info->si_code > 0;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (of_kernel) {
    if (const MappedNode* node = NodeAt(address))
      EndFor(*node, address - node->begin.load(std::memory_order_relaxed));
  }
  // Not ours: the read is tried again and meets whoever was here before.
  sigaction(SIGBUS, &action_before, nullptr);
  if (!of_kernel) raise(signal);
}

void Install() {
  struct sigaction action {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &action_before);
}

// A place that is free, or a new one.
MappedNode* TakeNode() PODSIM_REQUIRES(ranges_mutex) {
  MappedNode* const first = first_mapped.load(std::memory_order_relaxed);
  for (MappedNode* node = first; node != nullptr; node = node->next)
    if (node->begin.load(std::memory_order_relaxed) == 0) return node;
  auto* const node = new MappedNode;  // stays for as long as the process
  node->next = first;
  first_mapped.store(node, std::memory_order_release);
  return node;
}

}  // namespace

void ForgetRange::operator()(MappedNode* node) const {
  const MutexLock lock(ranges_mutex);
  node->begin.store(0, std::memory_order_release);
}

MappedRange WatchMapped(const void* begin, std::size_t bytes,
                        const std::string& path) {
  const MutexLock lock(ranges_mutex);
  if (!handler_installed) Install();
  handler_installed = true;
  MappedNode* const node = TakeNode();
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  node->end = address + bytes;
  node->path = path;
  node->shown = PrintableLine(path);
  node->begin.store(address, std::memory_order_release);
  return MappedRange(node);
}

}  // namespace podsim
