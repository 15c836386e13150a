// The command line that all drivers share.
//
//   limit_all_reduce --ranks=4 --sizes=1K,64K,16M --algo=ring --socket=unix
//
// A flag is --name=value. --iters=0 (the default) lets a driver choose how
// often it repeats, so that a size takes --seconds.
#ifndef PODSIM_BENCH_PEERS_OPTIONS_H_
#define PODSIM_BENCH_PEERS_OPTIONS_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::peers {

struct Options {
  int ranks = 4;
  std::vector<std::size_t> sizes;  // bytes of each rank's buffer
  long iters = 0;
  long warmup = 2;
  double seconds = 0.3;
  std::map<std::string, std::string> own;  // flags of this driver alone
};

// `own` names the driver's own flags with their defaults. Ends the process
// with one line on what is wrong and what is allowed.
Options ParseOptions(int argc, char** argv,
                     const std::map<std::string, std::string>& own);

// "64K" -> 65536; K, M and G are powers of 1024.
std::size_t ParseSize(std::string_view text);

// One line to stderr, exit code 1. For drivers: a rank that fails ends the run.
[[noreturn]] void Die(const std::string& message);

// Die with what errno says.
[[noreturn]] void DieOfErrno(const std::string& what);

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_OPTIONS_H_
