// Several paths where one is taken: most often a pattern that the shell opened.
// Pure.
#ifndef PODSIM_SETTINGS_MANY_PATHS_H_
#define PODSIM_SETTINGS_MANY_PATHS_H_

#include <string>
#include <vector>

namespace podsim {

// "shards/train-*" for names of one folder that differ in a number, or have no
// more than their ending in common, as a shell opens a pattern: in order.
// Empty: they are not so, or fewer than 3.
std::string PatternOf(const std::vector<std::string>& paths);

// "verify takes one path and 8 are given, shards/a and on: ..." and what to do.
// `takes_patterns`: the program opens patterns itself.
std::string ManyPaths(const std::string& program, const std::string& command,
                      const std::vector<std::string>& paths,
                      bool takes_patterns);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_MANY_PATHS_H_
