// A main for fuzz targets where libFuzzer is not at hand: runs a target on
// every file of the kept corpus, then on seeded mutations of them. Knows the
// same flags as libFuzzer, as far as they go:
//
//   fuzz_manifest -seed=7 -max_total_time=60 corpus/manifest
//   fuzz_manifest -seed=7 -first=1234 -runs=1 corpus/manifest    that one again
//   fuzz_manifest crash-1234                                      or from a
//   file
//
// Run n of a seed is always the same input. What makes a target fail is left
// in ./crash-<n>.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);
// The sanitizers', where they are linked in.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(
    void (*callback)());

namespace {

// Bytes that tend to sit on edges, of JSON and of numbers.
constexpr const char* kTokens[] = {"-1",
                                   "0",
                                   "18446744073709551615",
                                   "9223372036854775807",
                                   "1e999",
                                   "null",
                                   "true",
                                   "\"",
                                   "{",
                                   "}",
                                   "[",
                                   "]",
                                   ",",
                                   ":",
                                   "\\u0000",
                                   "\xff",
                                   "\n",
                                   " ",
                                   "__metadata__",
                                   "[[[[[[[["};

struct Flags {
  std::uint32_t seed = 20'261'121;
  std::int64_t first = 0;
  std::int64_t runs = -1;  // no end
  double max_total_time = -1;
  std::vector<std::string> paths;
};

// What is being tried; read when it fails.
struct Trial {
  std::int64_t run = -1;  // -1: a file of the corpus
  std::uint32_t seed = 0;
  std::string input;
} trial;

void Report() {
  char name[64];
  std::snprintf(name, sizeof(name), "crash-%lld",
                static_cast<long long>(trial.run));
  std::fprintf(stderr, "failed on run %lld of seed %u; the input is in %s\n",
               static_cast<long long>(trial.run), trial.seed, name);
  const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) return;
  if (write(fd, trial.input.data(), trial.input.size()) < 0) std::perror(name);
  close(fd);
}

void OnSignal(int signal) {
  Report();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void ReportFailures() {
  if (__sanitizer_set_death_callback != nullptr)
    __sanitizer_set_death_callback(Report);
  else
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE})
      std::signal(signal, OnSignal);
  std::signal(SIGABRT, OnSignal);
}

class Mutator {
 public:
  Mutator(std::uint32_t seed, std::int64_t run) {
    std::seed_seq words{seed, static_cast<std::uint32_t>(run),
                        static_cast<std::uint32_t>(run >> 32)};
    random_.seed(words);
  }

  std::string Mutate(const std::vector<std::string>& corpus) {
    std::string text = corpus[Below(corpus.size())];
    for (std::size_t rounds = 1 + Below(4); rounds > 0; --rounds)
      MutateOnce(corpus, text);
    return text;
  }

 private:
  std::size_t Below(std::size_t limit) {
    return random_() % std::max<std::size_t>(1, limit);
  }

  void MutateOnce(const std::vector<std::string>& corpus, std::string& text) {
    const std::size_t at = Below(text.size() + 1);
    const std::string& other = corpus[Below(corpus.size())];
    switch (Below(8)) {
      case 0:
        if (at < text.size())
          text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(Below(256));
        break;
      case 2:  // a hole
        text.erase(at, Below(16));
        break;
      case 3:  // the end lost
        text.resize(at);
        break;
      case 4:  // half of one, half of another
        text = text.substr(0, at) + other.substr(Below(other.size()));
        break;
      case 5:  // a part of it again
        text.insert(at, text.substr(Below(text.size()), Below(64)));
        break;
      case 6:
        text.insert(at, kTokens[Below(std::size(kTokens))]);
        break;
      default:
        ReplaceNumber(text, at);
    }
  }

  // An edge in place of the next number in the text.
  void ReplaceNumber(std::string& text, std::size_t at) {
    constexpr char kDigits[] = "0123456789";
    const std::size_t begin = text.find_first_of(kDigits, at);
    if (begin == std::string::npos) return;
    const std::size_t end =
        std::min(text.find_first_not_of(kDigits, begin), text.size());
    text.replace(begin, end - begin, kTokens[Below(4)]);
  }

  std::mt19937 random_;
};

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> Corpus(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(ReadFile(file));
  return texts;
}

void Try(std::int64_t run, std::string input) {
  trial.run = run;
  trial.input = std::move(input);
  LLVMFuzzerTestOneInput(
      reinterpret_cast<const std::uint8_t*>(trial.input.data()),
      trial.input.size());
}

bool ParseFlags(int argc, char** argv, Flags& flags) {
  const auto value = [](const char* arg, const char* name) -> const char* {
    const std::size_t length = std::strlen(name);
    return std::strncmp(arg, name, length) == 0 ? arg + length : nullptr;
  };
  for (int i = 1; i < argc; ++i) {
    if (const char* seed = value(argv[i], "-seed=")) {
      flags.seed = static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10));
    } else if (const char* first = value(argv[i], "-first=")) {
      flags.first = std::strtoll(first, nullptr, 10);
    } else if (const char* runs = value(argv[i], "-runs=")) {
      flags.runs = std::strtoll(runs, nullptr, 10);
    } else if (const char* time = value(argv[i], "-max_total_time=")) {
      flags.max_total_time = std::strtod(time, nullptr);
    } else if (argv[i][0] == '-') {
      std::fprintf(stderr,
                   "unknown flag %s; there are -seed, -first, -runs and "
                   "-max_total_time, then files or directories\n",
                   argv[i]);
      return false;
    } else {
      flags.paths.emplace_back(argv[i]);
    }
  }
  return true;
}

// Runs mutations until there were enough of them, or enough time.
std::int64_t RunMutations(const Flags& flags,
                          const std::vector<std::string>& corpus) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    const auto passed = std::chrono::steady_clock::now() - begin;
    return std::chrono::duration<double>(passed).count();
  };
  std::int64_t run = 0;
  for (; run != flags.runs; ++run) {
    if (flags.max_total_time >= 0 && seconds() >= flags.max_total_time) break;
    const std::int64_t number = flags.first + run;
    Try(number, Mutator(flags.seed, number).Mutate(corpus));
  }
  return run;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  if (!ParseFlags(argc, argv, flags)) return 2;
  const std::vector<std::string> corpus = Corpus(flags.paths);
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus: give its directory\n");
    return 2;
  }
  ReportFailures();
  trial.seed = flags.seed;
  for (const std::string& text : corpus) Try(-1, text);
  // Single files are only tried, as libFuzzer does; so is a corpus when neither
  // a number of runs nor a time is given.
  const bool bounded = flags.runs >= 0 || flags.max_total_time >= 0;
  const std::int64_t runs = bounded ? RunMutations(flags, corpus) : 0;
  std::printf("%zu files, %lld mutations of seed %u: nothing found\n",
              corpus.size(), static_cast<long long>(runs), flags.seed);
  return 0;
}
