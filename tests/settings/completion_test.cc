// bash reads the script, and completes with it.
#include "settings/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "settings/programs.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::Subprocess;
using ::podsim::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What bash offers after `words`, the last of which is being typed, a line
// each.
std::string Completed(const MainProgram& program,
                      const std::vector<std::string>& words,
                      const OfferedNames& offered = {}) {
  const TempDir dir;
  const std::string script = dir.file("completion");
  std::ofstream(script) << FormatBashCompletion(program, offered);
  const std::string command =
      absl::StrCat("set -eu; source ", script, "; COMP_WORDS=('", program.name,
                   "' '", absl::StrJoin(words, "' '"),
                   "'); COMP_CWORD=", words.size(), "; _podsim_", program.name,
                   " || true; printf '%s\\n' \"${COMPREPLY[@]}\"");
  Subprocess bash({{"/bin/bash", "-c", command}, {}});
  EXPECT_EQ(bash.Wait(std::chrono::seconds(60)), 0) << bash.output();
  return bash.output();
}

TEST(CompletionTest, Flags) {
  EXPECT_EQ(Completed(PodLaunch(), {"--train_b"}), "--train_batch_size\n");
  EXPECT_EQ(Completed(PodHost(), {"--v"}), "--version\n");
}

TEST(CompletionTest, WordsOfAFlag) {
  EXPECT_EQ(Completed(PodLaunch(), {"--wrap", ""}), "auto\ntorus\nmesh\n");
  EXPECT_EQ(Completed(PodLaunch(), {"--wrap", "=", "to"}), "torus\n");
  EXPECT_EQ(Completed(PodLaunch(), {"--wrap", "="}), "auto\ntorus\nmesh\n");
  EXPECT_EQ(Completed(PodBench(), {"all_reduce", "-d", "bx"}), "\n");
  EXPECT_EQ(Completed(PodBench(), {"all_reduce", "-d", "bfl"}), "bfloat16\n");
}

TEST(CompletionTest, NamesThatAreOffered) {
  const OfferedNames slices = {{"topology", {"v3-8", "v3-32", "v2-8"}}};
  EXPECT_EQ(Completed(PodLaunch(), {"--topology", "=", "v3"}, slices),
            "v3-8\nv3-32\n");
  EXPECT_EQ(Completed(PodLaunch(), {"--tpu", "v2"}, slices), "v2-8\n");
  EXPECT_EQ(Completed(PodLaunch(), {"--topology", "v2"}), "\n");
}

TEST(CompletionTest, ArgumentsAndPaths) {
  EXPECT_EQ(Completed(PodCkpt(), {"ver"}), "verify\n");
  EXPECT_EQ(Completed(PodBench(), {"all_r"}), "all_reduce\n");
  EXPECT_EQ(Completed(PodCkpt(), {"ls", "/usr/bi"}), "/usr/bin\n");
  EXPECT_EQ(Completed(PodLaunch(), {"--log_dir", "/usr/bi"}), "/usr/bin\n");
}

TEST(CompletionTest, EveryProgramsScriptIsBash) {
  for (const MainProgram* program : AllPrograms())
    EXPECT_THAT(Completed(*program, {"--"}),
                AllOf(HasSubstr("--help\n"), Not(HasSubstr("error"))))
        << program->name;
}

}  // namespace
}  // namespace podsim
