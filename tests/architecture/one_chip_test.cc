// A chip has one program, and chip/ alone makes and prices it: no other folder
// has the words of a second model of what a chip fuses, moves or takes.
// (bench/validation holds chip/ to measurements and is not read here.)
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace podsim {
namespace {

namespace fs = std::filesystem;

struct ChipWords {
  std::vector<std::string> words;
  std::string why;
  // Files and folders that may have them beside chip/.
  std::vector<std::string> also_in;
};

// What a second model cannot do without. Of a chip's figures its peak is not
// among them, of which shares are printed.
const std::vector<ChipWords>& AllChipWords() {
  static const auto& words = *new std::vector<ChipWords>{
      {{"hbm_bytes_per_second", "hbm_share"},
       "they make a time of bytes in HBM",
       // Sums of microbatches' gradients are no op of the Program.
       {"interconnect/", "runtime/forecast/forecast.cc"}},
      {{"matrix_share", "kernel_seconds", "vector_flops_per_cycle",
        "transcendental_flops"},
       "they make a time of operations",
       {"interconnect/"}},
      {{"matrix_unit"},
       "it says what padding costs a product",
       {"interconnect/topology/"}},
      {{"FuseForChip", "PlanFusion", "PriceKernel", "KeptOnChip"},
       "ChipStepOf, WithOnChip, TimesOf and ChipMemory do it",
       {}},
      {{"chip().hbm_bytes"},
       "available_hbm_bytes() is what programs may take of it",
       {}},
      {{"cost.bytes_"},
       "they are an op's bytes if nothing is fused",
       {"models/ops/"}},
      {{"HBM traffic"},
       "kernels have it, not ops",
       // The name of what bounds most kernels.
       {"runtime/forecast/job_forecast."}},
      {{"fuses on a chip", "fused on a chip", "chip fuses", "compiler fuses",
        "compiler that fuses"},
       "what is fused on a chip stands in chip/fusion_plan.h",
       // It says of its times how they were made.
       {"runtime/forecast/job_forecast.h"}}};
  return words;
}

bool IsIn(const std::string& path, const std::vector<std::string>& places) {
  for (const std::string& place : places)
    if (path.rfind(place, 0) == 0) return true;
  return false;
}

// Why the line must not stand in the source at `path`; empty if it may.
std::string WhyNot(const std::string& path, const std::string& line) {
  for (const ChipWords& each : AllChipWords())
    for (const std::string& word : each.words)
      if (line.find(word) != std::string::npos && !IsIn(path, each.also_in))
        return word + ": " + each.why;
  return "";
}

std::vector<fs::path> SourcesOutsideChip(const fs::path& root) {
  std::vector<fs::path> sources;
  for (const char* top :
       {"base", "settings", "interconnect", "models", "job", "host", "runtime"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc")
        sources.push_back(entry.path());
    }
  return sources;
}

TEST(OneChipTest, NobodyElseModelsIt) {
  const fs::path root = PODSIM_SOURCE_DIR;
  int lines = 0;
  for (const fs::path& file : SourcesOutsideChip(root)) {
    const std::string path = fs::relative(file, root);
    std::ifstream in(file);
    for (std::string line; std::getline(in, line); ++lines) {
      const std::string why = WhyNot(path, line);
      EXPECT_EQ(why, "") << path << ": " << line;
    }
  }
  EXPECT_GT(lines, 10'000) << "sources not found under " << root;
}

TEST(OneChipTest, AForecastTakesHbmsRateForOneThing) {
  std::ifstream in(PODSIM_SOURCE_DIR "/runtime/forecast/forecast.cc");
  int lines = 0;
  for (std::string line; std::getline(in, line);)
    if (line.find("hbm_bytes_per_second") != std::string::npos) ++lines;
  EXPECT_EQ(lines, 1);
}

TEST(OneChipTest, ALineOfASecondModelIsCaught) {
  const std::string roofline =
      "const double traffic = work.hbm_bytes / chip.hbm_bytes_per_second;";
  EXPECT_NE(WhyNot("host/core/x.cc", roofline), "");
  EXPECT_NE(WhyNot("runtime/plan/x.cc", roofline), "");
  EXPECT_EQ(WhyNot("runtime/forecast/forecast.cc", roofline), "");
  EXPECT_NE(WhyNot("runtime/forecast/forecast.cc",
                   "const ChipProgram chip = FuseForChip(graph, facts, {});"),
            "");
  EXPECT_NE(WhyNot("runtime/job/x.cc",
                   "work.bytes += cost.bytes_read + cost.bytes_written;"),
            "");
  EXPECT_NE(WhyNot("models/ops/op_entry.h",
                   "  // This op is fused on a chip with what reads it."),
            "");
  EXPECT_NE(WhyNot("host/core/x.cc",
                   "if (bytes > slice.chip().hbm_bytes) return TooLarge();"),
            "");
  EXPECT_EQ(WhyNot("host/core/x.cc",
                   "if (bytes > slice.chip().available_hbm_bytes()) return;"),
            "");
  EXPECT_EQ(WhyNot("host/core/fusion.h",
                   "// Neighbours that this machine computes together."),
            "");
}

}  // namespace
}  // namespace podsim
