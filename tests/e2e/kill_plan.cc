#include "tests/e2e/kill_plan.h"

#include <cmath>
#include <random>

namespace podsim::testing {

const char* NameOf(Moment moment) {
  switch (moment) {
    case Moment::kForming:
      return "forming";
    case Moment::kAnyTime:
      return "any time";
    case Moment::kStep:
      return "step";
    case Moment::kWrite:
      return "checkpoint write";
    case Moment::kCommit:
      return "checkpoint commit";
    case Moment::kRestore:
      return "restore";
  }
  return "";
}

const char* NameOf(Victim victim) {
  switch (victim) {
    case Victim::kHost:
      return "host";
    case Victim::kCoordinator:
      return "coordinator";
    case Victim::kLauncher:
      return "launcher";
  }
  return "";
}

Kill DrawKill(std::uint64_t seed, int run, int processes) {
  std::seed_seq sequence = {static_cast<std::uint32_t>(seed),
                            static_cast<std::uint32_t>(seed >> 32),
                            static_cast<std::uint32_t>(run)};
  std::mt19937 random(sequence);
  const auto uniform = [&] { return std::ldexp(random(), -32); };
  Kill kill = {.moment = static_cast<Moment>(run % kMoments),
               .restart = run / kMoments % 2 == 0};
  // As many coordinators and launchers as there are of each host.
  const int victim = static_cast<int>(uniform() * (processes + 2));
  kill.victim = victim < processes    ? Victim::kHost
                : victim == processes ? Victim::kCoordinator
                                      : Victim::kLauncher;
  kill.host = victim < processes ? victim : 0;
  kill.place = uniform();
  kill.delay = uniform();
  return kill;
}

std::string Describe(const Kill& kill) {
  std::string text = NameOf(kill.victim);
  if (kill.victim == Victim::kHost) text += " " + std::to_string(kill.host);
  text += std::string(", ") + NameOf(kill.moment) + ", place " +
          std::to_string(kill.place) + ", delay " + std::to_string(kill.delay);
  return text + (kill.restart ? ", with restarts" : ", run again");
}

}  // namespace podsim::testing
