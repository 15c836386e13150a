// Finding, refusing and opening kernel modules, and that modules share nothing.
#include "models/kernels/loader.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "tests/models/kernels/kernel_fixture.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kBuilt = {PODSIM_KERNEL_BUILD_DIR};

std::string ModulePath(const std::string& isa) {
  return kBuilt.front() + "/podsim_kernels_" + isa + ".so";
}

TEST(LoaderTest, LoadsExactlyWhatTheCpuRuns) {
  const std::vector<std::string> runnable = RunnableLevels();
  ASSERT_FALSE(runnable.empty());
  ASSERT_OK_AND_ASSIGN(const std::string cpu_isa, CpuIsa());
  EXPECT_EQ(cpu_isa, runnable.back());
  for (const std::string& isa : IsaLevels()) {
    if (std::find(runnable.begin(), runnable.end(), isa) != runnable.end()) {
      ASSERT_OK_AND_ASSIGN(const PodsimKernels* table, LoadKernels(isa));
      EXPECT_EQ(table->isa, isa);
    } else {
      EXPECT_THAT(LoadKernels(isa),
                  StatusIs(absl::StatusCode::kFailedPrecondition,
                           AllOf(HasSubstr(isa), HasSubstr(cpu_isa))));
    }
  }
  ASSERT_OK_AND_ASSIGN(const std::string best, BestIsa());
  EXPECT_EQ(best, runnable.back());
}

// On any machine, an older CPU played.
TEST(LoaderTest, RefusesLevelsAboveTheCpu) {
  EXPECT_THAT(OpenKernels("amx", "v4", kBuilt),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("trial product"),
                             HasSubstr("highest level it runs is v4"))));
  EXPECT_THAT(OpenKernels("bf16", "v4", kBuilt),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("AVX512-BF16"),
                             HasSubstr("highest level it runs is v4"))));
  EXPECT_THAT(OpenKernels("v4", "v3", kBuilt),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("highest level it runs is v3")));
  EXPECT_THAT(OpenKernels("v3", "v2", kBuilt),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("v2")));
  EXPECT_THAT(OpenKernels("v2", "", kBuilt),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("older than x86-64-v2")));
  EXPECT_THAT(BestIsa("", kBuilt),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("older than x86-64-v2")));
}

TEST(LoaderTest, RefusesUnknownLevels) {
  for (const char* isa : {"", "v1", "v5", "avx2", "../v2"}) {
    EXPECT_THAT(LoadKernels(isa), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("v2, v3, v4, bf16, amx")));
  }
}

TEST(LoaderTest, LaterCallsReturnTheSameTableOnEveryThread) {
  ASSERT_OK_AND_ASSIGN(const PodsimKernels* table, LoadKernels("v2"));
  std::array<const PodsimKernels*, 4> tables = {};
  {
    std::vector<std::jthread> threads;
    threads.reserve(tables.size());
    for (auto& slot : tables) {
      threads.emplace_back([&slot] {
        const auto loaded = LoadKernels("v2");
        slot = loaded.ok() ? *loaded : nullptr;
      });
    }
  }
  for (const PodsimKernels* other : tables) EXPECT_EQ(other, table);
}

TEST(LoaderTest, LooksInOrder) {
  const auto all = KernelDirectories("/given", "/opt/podsim/bin/pod_host");
  ASSERT_EQ(all.size(), 4);
  EXPECT_EQ(all[0], "/given");
  EXPECT_EQ(all[1], "/opt/podsim/lib/podsim");
  EXPECT_EQ(all[2], kBuilt.front());
  EXPECT_THAT(all[3], ::testing::EndsWith("/podsim"));
  EXPECT_EQ(KernelDirectories(nullptr, "").size(), 2);
  EXPECT_EQ(KernelDirectories("", "").size(), 2);
}

TEST(LoaderTest, FirstDirectoryWithTheModuleWins) {
  testing::TempDir empty, first, second;
  std::ofstream(first.file("podsim_kernels_v2.so")) << "x";
  std::ofstream(second.file("podsim_kernels_v2.so")) << "x";
  ASSERT_OK_AND_ASSIGN(
      const std::string path,
      FindKernelModule("v2", {empty.path(), first.path(), second.path()}));
  EXPECT_EQ(path, first.file("podsim_kernels_v2.so"));
}

// What `ask` says in a process that no permission of root's is left to.
std::string AskedWithoutRoot(const std::function<absl::Status()>& ask) {
  std::array<int, 2> ends{};
  PODSIM_CHECK(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kSomebody = 54321;
    if (geteuid() == 0 && setresuid(kSomebody, kSomebody, kSomebody) != 0)
      _exit(1);
    const std::string said = ask().ToString();
    _exit(write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string said(4096, ' ');
  const ssize_t count = read(ends[0], said.data(), said.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return said.substr(0, static_cast<std::size_t>(std::max<ssize_t>(0, count)));
}

TEST(LoaderTest, AModuleThatMayNotBeReadIsNotCalledMissing) {
  testing::TempDir locked, open;
  std::ofstream(locked.file("podsim_kernels_v3.so")) << "x";
  std::ofstream(open.file("podsim_kernels_v2.so")) << "x";
  ASSERT_EQ(chmod(open.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(locked.path().c_str(), geteuid() == 0 ? 0700 : 0), 0);
  const std::string said = AskedWithoutRoot([&] {
    // Nor are slower ones taken instead.
    return BestIsa("v3", {locked.path(), open.path()}).status();
  });
  ASSERT_EQ(chmod(locked.path().c_str(), 0700), 0);
  EXPECT_THAT(said, AllOf(HasSubstr("PERMISSION_DENIED"),
                          HasSubstr(locked.path() + "/podsim_kernels_v3.so: "
                                                    "Permission denied (user "),
                          HasSubstr("PODSIM_KERNEL_DIR")));
}

TEST(LoaderTest, MissingModuleSaysWhereItWasLookedFor) {
  testing::TempDir one, two;
  const std::vector<std::string> directories = {one.path(), two.path()};
  const auto names_both = AllOf(HasSubstr(one.path()), HasSubstr(two.path()),
                                HasSubstr("PODSIM_KERNEL_DIR"));
  EXPECT_THAT(OpenKernels("v2", "v2", directories),
              StatusIs(absl::StatusCode::kNotFound, names_both));
  EXPECT_THAT(BestIsa("v3", directories),
              StatusIs(absl::StatusCode::kNotFound, names_both));
}

TEST(LoaderTest, BestIsTheHighestInstalledLevelThatTheCpuRuns) {
  testing::TempDir partial;
  std::ofstream(partial.file("podsim_kernels_v2.so")) << "x";
  std::ofstream(partial.file("podsim_kernels_v4.so")) << "x";
  ASSERT_OK_AND_ASSIGN(const std::string on_v3,
                       BestIsa("v3", {partial.path()}));
  EXPECT_EQ(on_v3, "v2");
  ASSERT_OK_AND_ASSIGN(const std::string on_v4,
                       BestIsa("v4", {partial.path()}));
  EXPECT_EQ(on_v4, "v4");
  ASSERT_OK_AND_ASSIGN(const std::string on_amx,
                       BestIsa("amx", {partial.path()}));
  EXPECT_EQ(on_amx, "v4");
}

TEST(LoaderTest, RefusesWhatIsNoModuleOfThisBuild) {
  testing::TempDir bad;
  std::ofstream(bad.file("podsim_kernels_v2.so")) << "not a shared object";
  EXPECT_THAT(
      OpenKernels("v2", "v2", {bad.path()}),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("podsim_kernels_v2")));
  // A module under another level's name.
  std::filesystem::copy(ModulePath("v2"), bad.file("podsim_kernels_v3.so"));
  EXPECT_THAT(
      OpenKernels("v3", "v3", {bad.path()}),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("not of this build")));
}

TEST(LoaderTest, CommonIsaIsTheLower) {
  EXPECT_EQ(CommonIsa("v2", "v4"), "v2");
  EXPECT_EQ(CommonIsa("v4", "v3"), "v3");
  EXPECT_EQ(CommonIsa("v3", "v3"), "v3");
  EXPECT_EQ(CommonIsa("amx", "v4"), "v4");
  EXPECT_EQ(CommonIsa("bf16", "amx"), "bf16");
}

TEST(LoaderTest, NamesTheLibrary) {
  EXPECT_THAT(KernelLibraryVersion(), ::testing::StartsWith("Eigen 3.4"));
}

// What `nm` prints for the symbols that a module offers to others.
std::vector<std::string> ExportedSymbols(const std::string& path) {
  const std::string command = "nm -D --defined-only '" + path + "'";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"cannot run nm"};
  std::vector<std::string> symbols;
  std::array<char, 4096> line;
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    std::istringstream words(line.data());
    std::string address, type, name;
    words >> address >> type >> name;
    symbols.push_back(name);
  }
  if (pclose(pipe) != 0) symbols.emplace_back("nm failed");
  return symbols;
}

// A weak symbol that two modules export could be bound to the other's code, for
// another CPU. Checked for every level, also those this CPU cannot run.
TEST(ModuleTest, ExportsItsEntryPointOnly) {
  for (const std::string& isa : IsaLevels()) {
    EXPECT_THAT(ExportedSymbols(ModulePath(isa)), ElementsAre("podsim_kernels"))
        << isa;
  }
}

// Without repeats: a level may have one function in two places of its table.
std::set<const void*> Functions(const PodsimKernels& table) {
  std::set<const void*> functions = {
      reinterpret_cast<const void*>(table.float32.packed_elements),
      reinterpret_cast<const void*>(table.float32.pack),
      reinterpret_cast<const void*>(table.float32.pack_bt),
      reinterpret_cast<const void*>(table.float32.multiply),
      reinterpret_cast<const void*>(table.float32.multiply_at),
      reinterpret_cast<const void*>(table.bfloat16.packed_elements),
      reinterpret_cast<const void*>(table.bfloat16.pack),
      reinterpret_cast<const void*>(table.bfloat16.pack_bt),
      reinterpret_cast<const void*>(table.bfloat16.multiply),
      reinterpret_cast<const void*>(table.bfloat16.multiply_at),
      reinterpret_cast<const void*>(table.round_bfloat16),
      reinterpret_cast<const void*>(table.add_bias),
      reinterpret_cast<const void*>(table.column_sums),
      reinterpret_cast<const void*>(table.sum_lines),
      reinterpret_cast<const void*>(table.maximum_of_lines),
      reinterpret_cast<const void*>(table.minimum_of_lines),
      reinterpret_cast<const void*>(table.spread_lines),
      reinterpret_cast<const void*>(table.softmax_xent),
      reinterpret_cast<const void*>(table.softmax_xent_grad)};
  for (const PodsimElementwise* each = table.elementwise; each->op != nullptr;
       ++each)
    functions.insert(reinterpret_cast<const void*>(each->run));
  for (int rule = 0; rule < table.update_rules; ++rule)
    for (const PodsimUpdate& update : table.updates[rule]) {
      functions.insert(reinterpret_cast<const void*>(update.update));
      if (update.direction == nullptr) continue;
      functions.insert(reinterpret_cast<const void*>(update.direction));
      functions.insert(reinterpret_cast<const void*>(update.apply));
    }
  return functions;
}

// All runnable modules open at once: each table's functions lie in its own
// file.
TEST(ModuleTest, ModulesOpenTogetherShareNoCode) {
  std::set<const void*> seen;
  std::size_t functions = 0;
  for (const std::string& isa : RunnableLevels()) {
    ASSERT_OK_AND_ASSIGN(const PodsimKernels* table, LoadKernels(isa));
    for (const void* function : Functions(*table)) {
      ASSERT_NE(function, nullptr);
      Dl_info info = {};
      ASSERT_NE(dladdr(function, &info), 0);
      EXPECT_THAT(info.dli_fname,
                  ::testing::EndsWith("/podsim_kernels_" + isa + ".so"));
      seen.insert(function);
      ++functions;
    }
  }
  EXPECT_EQ(seen.size(), functions);
}

// RTLD_LOCAL: the entry point of a module is no name of the whole program.
TEST(ModuleTest, EntryPointStaysLocal) {
  ASSERT_THAT(LoadKernels("v2"), IsOk());
  EXPECT_EQ(dlsym(RTLD_DEFAULT, kKernelEntryPoint), nullptr);
}

}  // namespace
}  // namespace podsim
