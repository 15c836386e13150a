#include "options.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace podsim::peers {
namespace {

template <typename Number>
Number ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    Die(std::string(text) + " is not a number of 0 or more");
  }
  return number;
}

std::vector<std::size_t> ParseSizes(const std::string& text) {
  std::vector<std::size_t> sizes;
  std::istringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t bytes = ParseSize(item);
    if (bytes == 0 || bytes % sizeof(float) != 0) {
      Die("size " + item + ": give a positive multiple of 4 bytes");
    }
    sizes.push_back(bytes);
  }
  return sizes;
}

std::string Names(const std::map<std::string, std::string>& own) {
  std::string names = "--ranks --sizes --iters --warmup --seconds";
  for (const auto& [name, value] : own) names += " --" + name;
  return names;
}

void SetFlag(std::string_view argument, Options& options) {
  const std::size_t equals = argument.find('=');
  if (!argument.starts_with("--") || equals == argument.npos) {
    Die(std::string(argument) + ": flags are --name=value, there are " +
        Names(options.own));
  }
  const std::string name(argument.substr(2, equals - 2));
  const std::string value(argument.substr(equals + 1));
  if (name == "ranks") {
    options.ranks = ParseNumber<int>(value);
  } else if (name == "sizes") {
    options.sizes = ParseSizes(value);
  } else if (name == "iters") {
    options.iters = ParseNumber<long>(value);
  } else if (name == "warmup") {
    options.warmup = ParseNumber<long>(value);
  } else if (name == "seconds") {
    options.seconds = ParseNumber<double>(value);
  } else if (options.own.contains(name)) {
    options.own[name] = value;
  } else {
    Die("no flag --" + name + "; there are " + Names(options.own));
  }
}

}  // namespace

Options ParseOptions(int argc, char** argv,
                     const std::map<std::string, std::string>& own) {
  Options options;
  options.own = own;
  for (int i = 1; i < argc; ++i) SetFlag(argv[i], options);
  // The check of results gives every rank a bit of its own in a float's 24.
  if (options.ranks < 2 || options.ranks > 12) {
    Die("--ranks=" + std::to_string(options.ranks) + ": give 2 to 12");
  }
  if (options.sizes.empty()) Die("no sizes; give --sizes=1K,64K,16M");
  return options;
}

std::size_t ParseSize(std::string_view text) {
  std::size_t unit = 1;
  if (text.ends_with('K')) unit = std::size_t{1} << 10;
  if (text.ends_with('M')) unit = std::size_t{1} << 20;
  if (text.ends_with('G')) unit = std::size_t{1} << 30;
  if (unit != 1) text.remove_suffix(1);
  return ParseNumber<std::size_t>(text) * unit;
}

void Die(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(1);
}

void DieOfErrno(const std::string& what) {
  Die(what + ": " + std::strerror(errno));
}

}  // namespace podsim::peers
