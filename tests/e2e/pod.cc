#include "tests/e2e/pod.h"

#include <poll.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>

namespace podsim::testing {

bool Eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    poll(nullptr, 0, 2);
  }
  return true;
}

std::string Program(const std::string& name) {
  return std::string(PODSIM_BIN_DIR) + "/" + name;
}

std::vector<std::string> WithFlags(std::vector<std::string> flags,
                                   const std::vector<std::string>& more) {
  const auto name = [](const std::string& flag) {
    return flag.substr(0, flag.find('='));
  };
  for (const std::string& flag : more)
    std::erase_if(flags, [&](const std::string& given) {
      return name(given) == name(flag);
    });
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

PodRun::PodRun(
    std::vector<std::string> flags,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  const bool has_metrics =
      std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
        return flag.starts_with("--metrics_file");
      });
  if (!has_metrics)
    flags.insert(flags.begin(),
                 "--metrics_file=" + directory_.file("metrics.jsonl"));
  flags.insert(flags.begin(), Program("pod_launch"));
  process_ =
      std::make_unique<Subprocess>(Subprocess::Options{flags, environment});
}

std::string PodRun::Unwrapped() const {
  std::istringstream words(output());
  std::string text;
  for (std::string word; words >> word;)
    text += text.empty() ? word : " " + word;
  return text;
}

int PodRun::Wait(std::chrono::seconds timeout) {
  return process_->Wait(timeout);
}

std::vector<nlohmann::json> PodRun::Events(const std::string& kind,
                                           std::size_t most) const {
  std::vector<nlohmann::json> events;
  std::ifstream in(directory_.file("metrics.jsonl"));
  for (std::string line; events.size() < most && std::getline(in, line);) {
    nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.value("event", "") == kind)
      events.push_back(std::move(event));
  }
  return events;
}

nlohmann::json PodRun::Event(const std::string& kind) const {
  const auto events = Events(kind);
  return events.size() == 1 ? events[0] : nlohmann::json::object();
}

std::vector<pid_t> PodRun::Children(const std::string& name) const {
  std::vector<pid_t> pids;
  for (const auto& [pid, command] : ChildrenOf(process_->pid()))
    // The kernel keeps 15 characters of a command.
    if (command == name.substr(0, 15)) pids.push_back(pid);
  // Numbers begin again at the smallest once the largest was given out: those
  // below the parent's are the younger ones.
  std::sort(pids.begin(), pids.end(), [&](pid_t a, pid_t b) {
    return std::make_pair(a < process_->pid(), a) <
           std::make_pair(b < process_->pid(), b);
  });
  return pids;
}

bool PodRun::WaitForChildren(const std::string& name, std::size_t count) const {
  return Eventually([&] { return Children(name).size() >= count; }, kDeadline);
}

bool PodRun::WaitForEvents(const std::string& kind, std::size_t count) const {
  const auto enough = [&] { return Events(kind, count).size() >= count; };
  Eventually(
      [&] {
        process_->ReadFor(std::chrono::milliseconds(2));
        return enough() || process_->output_ended();
      },
      kDeadline);
  return enough();
}

}  // namespace podsim::testing
