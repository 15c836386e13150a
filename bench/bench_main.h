// main() of a Google Benchmark program: what is mistyped ends with one line and
// exit code 2 before the library prints anything.
//
//   int main(int argc, char** argv) {
//     podsim::RegisterCopies();
//     return podsim::BenchMain(argc, argv);
//   }
#ifndef PODSIM_BENCH_BENCH_MAIN_H_
#define PODSIM_BENCH_BENCH_MAIN_H_

namespace podsim {

// Runs what is registered, and returns the program's exit code.
int BenchMain(int argc, char** argv);

}  // namespace podsim

#endif  // PODSIM_BENCH_BENCH_MAIN_H_
