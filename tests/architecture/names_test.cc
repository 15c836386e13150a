// Sources of a folder are compiled several at a time: a name in an unnamed
// namespace is in one of them only. The compiler sees two types or constants of
// one name; two functions may overload each other, and it calls the other one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>

namespace podsim {
namespace {

namespace fs = std::filesystem;

using SourcesByName = std::map<std::string, std::set<std::string>>;

// What a line of a source, at its left edge, gives a name to.
std::optional<std::string> NamedBy(const std::string& line) {
  static const std::regex kType("^(?:struct|class|enum class) (\\w+)(?!.*;$)");
  static const std::regex kConstant("^constexpr .*\\b(k\\w+)(\\[.*\\])? ?[={]");
  static const std::regex kFunction("^[A-Za-z][\\w:<>,&* ]*[ &*>](\\w+)\\(");
  static const std::regex kNone("^(using|return|TEST|INSTANTIATE|MATCHER)\\b");
  std::smatch match;
  if (std::regex_search(line, match, kNone)) return std::nullopt;
  for (const std::regex* kind : {&kType, &kConstant, &kFunction})
    if (std::regex_search(line, match, *kind)) return match[1].str();
  return std::nullopt;
}

void AddNames(const fs::path& file, SourcesByName& names) {
  bool unnamed = false;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line == "namespace {") unnamed = true;
    if (line == "}  // namespace") unnamed = false;
    if (!unnamed) continue;
    if (const auto name = NamedBy(line)) names[*name].insert(file.filename());
  }
}

// The folder whose CMakeLists.txt compiles a source.
fs::path BuiltIn(const fs::path& file) {
  fs::path folder = file.parent_path();
  while (!fs::exists(folder / "CMakeLists.txt") && folder.has_relative_path())
    folder = folder.parent_path();
  return folder;
}

TEST(NamesTest, AnUnnamedNamespacesNamesAreOneSourcesOfTheFolder) {
  const fs::path root = PODSIM_SOURCE_DIR;
  std::map<fs::path, SourcesByName> folders;
  for (const char* top : {"base", "settings", "interconnect", "models", "chip",
                          "job", "host", "runtime", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path folder = BuiltIn(entry.path());
      // There a source is a program.
      if (folder.filename() == "e2e" || folder.filename() == "fuzz") continue;
      if (entry.path().extension() == ".cc")
        AddNames(entry.path(), folders[folder]);
    }
  }
  int names = 0;
  for (const auto& [folder, by_name] : folders) {
    for (const auto& [name, sources] : by_name) {
      ++names;
      EXPECT_EQ(sources.size(), 1u)
          << name << " in " << fs::relative(folder, root) << ": "
          << ::testing::PrintToString(sources);
    }
  }
  EXPECT_GT(names, 1000) << "sources not found under " << root;
}

TEST(NamesTest, NamesAreSeen) {
  EXPECT_EQ(NamedBy("struct Part {"), "Part");
  EXPECT_EQ(NamedBy("struct Part;"), std::nullopt);
  EXPECT_EQ(NamedBy("constexpr int kMost = 3;"), "kMost");
  EXPECT_EQ(NamedBy("constexpr OpEntry kOps[] = {"), "kOps");
  EXPECT_EQ(NamedBy("absl::StatusOr<std::vector<int>> ReadAll(int a,"),
            "ReadAll");
  EXPECT_EQ(NamedBy("const Hardware& Known(int a) {"), "Known");
  EXPECT_EQ(NamedBy("void Counter::Add(int a) {"), std::nullopt);
  EXPECT_EQ(NamedBy("  return Known(3);"), std::nullopt);
  EXPECT_EQ(NamedBy("TEST(A, B) {"), std::nullopt);
}

}  // namespace
}  // namespace podsim
