// The layers of docs/architecture.md hold: a folder includes only itself and
// folders above it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace podsim {
namespace {

namespace fs = std::filesystem;

// Top to bottom; a line may use only the lines above it and itself.
const std::vector<std::string>& Layers() {
  static const auto* const kLayers = new std::vector<std::string>{
      "base",
      "proto",
      "settings",
      "interconnect/topology",
      "interconnect/transport",
      "interconnect/transport/shared",
      "interconnect/transport/faults",
      "interconnect/transport/grpc",
      "interconnect/collectives",
      "interconnect/timing",
      "models/rules",
      "models/kernels",
      "models/ops",
      "models/graph",
      "models/composites",
      "models/import",
      "models/layers",
      "models/optimizer",
      "models/zoo",
      "chip",
      "host/core",
      "host/board",
      "host/storage",
      "host/input",
      "host/checkpoint",
      "job",
      "host/train",
      "host/bench",
      "host/process",
      "runtime/job",
      "runtime/files",
      "runtime/forecast",
      "runtime/monitor",
      "runtime/coordinator",
      "runtime/report",
      "runtime/tensorboard",
      "runtime/trace",
      "runtime/report_page",
      "runtime/pod",
      "runtime/top",
      "runtime/launch",
      "runtime/bench",
      "runtime/plan",
      "runtime/ladder",
      "runtime/ckpt",
      "runtime/program",
      "runtime/data",
  };
  return *kLayers;
}

// The layer that a path relative to the root belongs to, -1 for none.
int LayerOf(const std::string& path) {
  int found = -1;
  for (std::size_t i = 0; i < Layers().size(); ++i)
    if (path.rfind(Layers()[i] + "/", 0) == 0) found = static_cast<int>(i);
  return found;
}

std::vector<std::string> ProjectIncludes(const fs::path& file) {
  static const std::regex kInclude("^\\s*#\\s*include\\s+\"([^\"]+)\"");
  std::ifstream in(file);
  std::vector<std::string> includes;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back(match[1]);
  }
  return includes;
}

bool MayInclude(const std::string& from, const std::string& to) {
  const bool models = from.rfind("models/", 0) == 0;
  const bool network = from.rfind("interconnect/", 0) == 0;
  if (models && to.rfind("interconnect/", 0) == 0) return false;
  if (network && to.rfind("models/", 0) == 0) return false;
  // A chip has figures; what lies between chips is not its business.
  if (from.rfind("chip/", 0) == 0 && to.rfind("interconnect/", 0) == 0 &&
      to.rfind("interconnect/topology/", 0) != 0)
    return false;
  return LayerOf(to) <= LayerOf(from);
}

std::vector<fs::path> Sources(const fs::path& root,
                              const std::vector<std::string>& tops = {
                                  "base", "settings", "interconnect", "models",
                                  "chip", "job", "host", "runtime"}) {
  std::vector<fs::path> sources;
  for (const std::string& top : tops)
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc")
        sources.push_back(entry.path());
    }
  return sources;
}

TEST(LayersTest, NoIncludePointsDownward) {
  const fs::path root = PODSIM_SOURCE_DIR;
  const std::vector<fs::path> sources = Sources(root);
  ASSERT_GT(sources.size(), 50u) << "sources not found under " << root;
  int project_includes = 0;
  for (const fs::path& file : sources) {
    const std::string from = fs::relative(file, root);
    EXPECT_GE(LayerOf(from), 0) << from << " is in no layer";
    for (const std::string& to : ProjectIncludes(file)) {
      if (LayerOf(to) < 0) continue;  // a library's header
      ++project_includes;
      EXPECT_TRUE(MayInclude(from, to)) << from << " includes " << to;
    }
  }
  EXPECT_GT(project_includes, 100);
}

TEST(LayersTest, TheRuleItselfCatchesAnUpwardArrow) {
  EXPECT_FALSE(MayInclude("base/x.h", "proto/job.pb.h"));
  EXPECT_FALSE(MayInclude("models/graph/x.h", "interconnect/topology/slice.h"));
  EXPECT_FALSE(MayInclude("interconnect/timing/x.h", "models/ops/shape.h"));
  EXPECT_FALSE(MayInclude("models/zoo/x.h", "chip/kernel_time.h"));
  EXPECT_FALSE(MayInclude("chip/x.h", "interconnect/timing/pricing.h"));
  EXPECT_FALSE(MayInclude("chip/x.h", "host/core/core.h"));
  EXPECT_FALSE(MayInclude("host/train/x.h", "runtime/job/planner.h"));
  EXPECT_TRUE(MayInclude("chip/x.h", "interconnect/topology/chip.h"));
  EXPECT_TRUE(MayInclude("chip/x.h", "models/graph/program.h"));
  EXPECT_TRUE(MayInclude("runtime/job/x.h", "host/core/machine_use.h"));
}

// The headers that a folder's CMakeLists.txt installs.
std::set<std::string> PublicHeaders(const fs::path& folder) {
  std::ifstream in(folder / "CMakeLists.txt");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::set<std::string> headers;
  static const std::regex kBlock("HEADERS([^)]*?)(DEPS|PRIVATE_DEPS|\\))");
  static const std::regex kName("[a-z0-9_]+\\.h");
  for (std::sregex_iterator block(text.begin(), text.end(), kBlock), end;
       block != end; ++block) {
    const std::string names = (*block)[1];
    for (std::sregex_iterator name(names.begin(), names.end(), kName);
         name != end; ++name)
      headers.insert(name->str());
  }
  return headers;
}

TEST(LayersTest, PublicHeadersHideThirdPartyTypes) {
  const fs::path root = PODSIM_SOURCE_DIR;
  const std::regex third_party("#\\s*include\\s+<(grpc|Eigen|CLI|nlohmann)");
  int checked = 0;
  for (const fs::path& file : Sources(root)) {
    const std::string path = fs::relative(file, root);
    if (path.rfind("base/rpc/", 0) == 0) continue;  // the gRPC corner of base
    if (PublicHeaders(file.parent_path()).count(file.filename()) == 0) continue;
    ++checked;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, third_party))
        ADD_FAILURE() << path << ": " << line;
  }
  EXPECT_GT(checked, 40);
}

// The machine of the pod hears of its work through JobReports alone.
TEST(LayersTest, MembershipKnowsNoKindOfWork) {
  const fs::path root = PODSIM_SOURCE_DIR;
  const std::regex work(
      "[Bb]ench|StepReport|EvalReport|ReportMerger|"
      "coordinator/reports\\.h");
  int checked = 0;
  for (const fs::path& file : Sources(root / "runtime/coordinator", {"."})) {
    const std::string name = file.filename();
    if (name.rfind("membership", 0) != 0) continue;
    ++checked;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (std::regex_search(line, work)) ADD_FAILURE() << name << ": " << line;
  }
  EXPECT_GE(checked, 6);
}

// Closed streams, ignored children and limits concern every program alike.
TEST(ProgramsTest, EveryOneBeginsTheSameWay) {
  int programs = 0;
  for (const fs::path& file : Sources(PODSIM_SOURCE_DIR)) {
    const std::string name = file.filename();
    if (name.size() < 8 || name.substr(name.size() - 8) != "_main.cc") continue;
    ++programs;
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    EXPECT_NE(text.find("BeginProgram();"), std::string::npos) << file;
  }
  EXPECT_GE(programs, 5);
}

}  // namespace
}  // namespace podsim
