#include "bench/bench_main.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/program.h"
#include "base/typing_distance.h"

namespace podsim {
namespace {

constexpr int kRefused = 2;
constexpr char kPrefix[] = "--benchmark_";
constexpr char kBool[] = "true false yes no on off 1 0";

// A flag of the library, and what it takes: the words in `words`, or what
// `wanted` says.
struct LibraryFlag {
  std::string_view name;
  std::string_view wanted;
  std::string_view words = "";
};

constexpr LibraryFlag kFlags[] = {
    {"list_tests", "true or false", kBool},
    {"filter", "a regular expression"},
    {"min_time", "a number of seconds"},
    {"min_warmup_time", "a number of seconds"},
    {"repetitions", "a whole number"},
    {"enable_random_interleaving", "true or false", kBool},
    {"report_aggregates_only", "true or false", kBool},
    {"display_aggregates_only", "true or false", kBool},
    {"format", "console, json or csv", "console json csv"},
    {"out", "a file"},
    {"out_format", "console, json or csv", "console json csv"},
    {"color", "auto, true or false", "auto true false yes no on off 1 0"},
    {"counters_tabular", "true or false", kBool},
    {"perf_counters", "names of counters"},
    {"context", "KEY=VALUE"},
    {"time_unit", "ns, us, ms or s", "ns us ms s"},
};

const LibraryFlag* FlagNamed(std::string_view name) {
  const auto* found = std::ranges::find(kFlags, name, &LibraryFlag::name);
  return found == std::end(kFlags) ? nullptr : found;
}

bool IsWordOf(std::string_view words, const std::string& value) {
  std::istringstream all{std::string(words)};
  std::string word;
  while (all >> word)
    if (word == value) return true;
  return false;
}

// Why `value` is no expression of the library's; empty: it is one.
std::string BadExpression(const std::string& value) {
  try {
    const std::regex expression(
        value.starts_with('-') ? value.substr(1) : value, std::regex::extended);
  } catch (const std::regex_error& error) {
    return error.what();
  }
  return "";
}

std::optional<std::string> NoFolder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored))
    return std::nullopt;
  return absl::StrCat("there is no folder ", folder.string(), "; make it");
}

// What is wrong with a flag's value; nullopt: nothing.
std::optional<std::string> BadValue(const LibraryFlag& flag,
                                    const std::string& value) {
  const std::string said = absl::StrCat(kPrefix, std::string(flag.name),
                                        " is \"", PrintableLine(value), "\"");
  double number = 0;
  int whole = 0;
  const bool is_time = flag.name.ends_with("_time");
  if ((!flag.words.empty() && !IsWordOf(flag.words, value)) ||
      (is_time && (!absl::SimpleAtod(value, &number) || number < 0)) ||
      (flag.name == "repetitions" &&
       (!absl::SimpleAtoi(value, &whole) || whole < 1)) ||
      (flag.name == "context" && value.find('=') == std::string::npos) ||
      value.empty())
    return absl::StrCat(said, "; give ", std::string(flag.wanted),
                        is_time ? ", without a unit" : "");
  if (flag.name == "filter")
    if (const std::string why = BadExpression(value); !why.empty())
      return absl::StrCat(said, ", no regular expression: ", why,
                          "; a \\ before a character such as ( takes it as it "
                          "is");
  if (flag.name == "out")
    if (const auto why = NoFolder(value))
      return absl::StrCat(said, ", but ", *why);
  return std::nullopt;
}

std::string UnknownFlag(const std::string& name) {
  const LibraryFlag* nearest = nullptr;
  int least = static_cast<int>(name.size()) / 3 + 1;
  const std::string bare = name.starts_with(kPrefix)
                               ? name.substr(sizeof(kPrefix) - 1)
                               : name.substr(name.find_first_not_of('-'));
  for (const LibraryFlag& flag : kFlags) {
    const int distance = TypingDistance(bare, flag.name);
    if (distance >= least) continue;
    least = distance;
    nearest = &flag;
  }
  return absl::StrCat("unknown flag ", PrintableLine(name), "; ",
                      nearest != nullptr
                          ? absl::StrCat("did you mean ", kPrefix,
                                         std::string(nearest->name), "?")
                          : "--help lists the flags");
}

// What is wrong with an argument; nullopt: nothing.
std::optional<std::string> BadArgument(const std::string& arg) {
  if (arg == "--help" || arg.starts_with("--v=")) return std::nullopt;
  if (!arg.starts_with("--"))
    return absl::StrCat("unexpected \"", PrintableLine(arg),
                        "\"; benchmarks are chosen by name, as in ", kPrefix,
                        "filter=NAME");
  const std::string name = arg.substr(0, arg.find('='));
  const LibraryFlag* const flag =
      name.starts_with(kPrefix) ? FlagNamed(name.substr(sizeof(kPrefix) - 1))
                                : nullptr;
  if (flag == nullptr) return UnknownFlag(name);
  if (name.size() < arg.size())
    return BadValue(*flag, arg.substr(name.size() + 1));
  if (flag->words == kBool) return std::nullopt;
  return absl::StrCat(name, " has no value; give ", std::string(flag->wanted),
                      " behind a =, as in ", name, "=...");
}

// The library keeps the program's name, and where it lies.
void InitializeWith(char* program, std::vector<std::string> args) {
  std::vector<char*> pointers = {program};
  for (std::string& arg : args) pointers.push_back(arg.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
}

// The benchmarks that match the filter of `args`, or all.
std::vector<std::string> NamesOf(char* program, const std::string& filter) {
  InitializeWith(program, {"--benchmark_list_tests=true", filter});
  std::ostringstream list;
  benchmark::ConsoleReporter reporter;
  reporter.SetOutputStream(&list);
  reporter.SetErrorStream(&list);
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) return {};
  std::vector<std::string> names;
  std::istringstream lines(list.str());
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

std::string NothingMatches(char* program, const std::string& filter) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> all = NamesOf(program, "--benchmark_filter=.");
  const std::size_t count = all.size();
  all.resize(std::min(count, kShown));
  return absl::StrCat("no benchmark matches ", PrintableLine(filter),
                      "; there are ", count, ", such as ",
                      absl::StrJoin(all, ", "),
                      "; --benchmark_list_tests=true lists them");
}

int Refuse(const char* program, const std::string& why) {
  std::cerr << std::filesystem::path(program).filename().string() << ": " << why
            << "\n";
  return kRefused;
}

}  // namespace

int BenchMain(int argc, char** argv) {
  BeginProgram();
  std::vector<std::string> args(argv + 1, argv + argc);
  std::string filter;
  for (const std::string& arg : args) {
    if (const auto why = BadArgument(arg)) return Refuse(argv[0], *why);
    if (arg.starts_with("--benchmark_filter=")) filter = arg;
  }
  if (!filter.empty() && NamesOf(argv[0], filter).empty())
    return Refuse(argv[0], NothingMatches(argv[0], filter));
  // What was listed was for ourselves, unless it is asked for again.
  args.insert(args.begin(), "--benchmark_list_tests=false");
  InitializeWith(argv[0], args);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EndProgram(0);
}

}  // namespace podsim
