// What pod_bench's help says of each flag. Data only: a flag named like a field
// of BenchSpec or JobSpec sets that field, the others are bench_flags.cc's.
#ifndef PODSIM_RUNTIME_BENCH_BENCH_FLAG_TABLE_H_
#define PODSIM_RUNTIME_BENCH_BENCH_FLAG_TABLE_H_

#include <span>

namespace podsim {

struct BenchFlagInfo {
  const char* name;   // "minbytes"
  const char* names;  // all its spellings: "-b,--minbytes"
  const char* field;  // of a message, if it is not `name`; else nullptr
  const char* group;
  const char* type;  // "N", as help shows it; nullptr: a switch
  const char* help;
};

// In the order of the help.
std::span<const BenchFlagInfo> BenchFlagTable();

// Above and below the flags in --help.
const char* BenchHelpIntroduction();
const char* BenchHelpExamples();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_BENCH_FLAG_TABLE_H_
