#include "models/kernels/loader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/mutex.h"
#include "base/program.h"
#include "base/status.h"
#include "base/unique_fd.h"
#include "models/kernels/cpu_level.h"
#include "models/kernels/kernels.h"

namespace podsim {
namespace {

// Place in IsaLevels(), -1 if absent.
int Rank(std::string_view isa) {
  const auto& levels = IsaLevels();
  const auto found = std::find(levels.begin(), levels.end(), isa);
  return found == levels.end() ? -1 : static_cast<int>(found - levels.begin());
}

// What is not said by the level's name.
const char* Needs(std::string_view isa) {
  if (isa == "amx")
    return ", which take AMX-BF16, the operating system's leave to use it and "
           "a trial product that comes out right";
  if (isa == "bf16")
    return ", which take AVX512-BF16 and a CPU that is the faster with it "
           "(AMD's)";
  return "";
}

absl::Status CheckLevel(const std::string& isa, const std::string& cpu_isa) {
  if (Rank(isa) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown instruction set \"", isa, "\"; valid are ",
                     absl::StrJoin(IsaLevels(), ", ")));
  }
  if (!Runs(cpu_isa, isa)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this CPU cannot run the kernels of level ", isa, Needs(isa), "; ",
        cpu_isa.empty()
            ? "it is older than x86-64-v2, the lowest level"
            : absl::StrCat("the highest level it runs is ", cpu_isa,
                           ": give --isa=", cpu_isa, ", or leave it out")));
  }
  return absl::OkStatus();
}

absl::Status CheckTable(const PodsimKernels* table, const std::string& isa,
                        const std::string& path) {
  if (table == nullptr || table->abi_version != kKernelAbiVersion ||
      table->isa != isa) {
    return absl::InternalError(absl::StrCat(
        "kernel module ", path, " is not of this build (",
        table == nullptr ? "it has no table"
                         : absl::StrCat("ABI ", table->abi_version, ", wanted ",
                                        kKernelAbiVersion),
        "); build or install podsim again"));
  }
  return absl::OkStatus();
}

// Whatever the CPU.
absl::StatusOr<const PodsimKernels*> OpenModule(
    const std::string& isa, const std::vector<std::string>& directories) {
  PODSIM_ASSIGN_OR_RETURN(const std::string path,
                          FindKernelModule(isa, directories));
  // Never closed: the table is valid until the process ends. RTLD_LOCAL keeps
  // the level's inline functions out of every other object's reach.
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const std::string why = dlerror();
    const std::string limit = ExhaustedLimit();
    return absl::InternalError(
        absl::StrCat("cannot open kernel module: ", why, "; ",
                     limit.empty() ? "build or install podsim again" : limit));
  }
  const auto entry =
      reinterpret_cast<KernelEntryPoint>(dlsym(module, kKernelEntryPoint));
  const PodsimKernels* table = entry == nullptr ? nullptr : entry();
  PODSIM_RETURN_IF_ERROR(CheckTable(table, isa, path));
  return table;
}

// REQUIRES: the CPU is v4 and may use tiles.
absl::StatusOr<bool> TilesProven() {
  const auto table = OpenModule("amx", KernelDirectories());
  if (!table.ok() || (*table)->trial == nullptr) return false;
  return SucceedsInChild((*table)->trial);
}

struct KernelCache {
  Mutex mutex;
  std::map<std::string, const PodsimKernels*, std::less<>> tables
      PODSIM_GUARDED_BY(mutex);
};

}  // namespace

const std::vector<std::string>& IsaLevels() {
  static const auto& levels =
      *new std::vector<std::string>{"v2", "v3", "v4", "bf16", "amx"};
  return levels;
}

bool Runs(const std::string& cpu_isa, const std::string& isa) {
  return Rank(isa) >= 0 && Rank(isa) <= Rank(cpu_isa);
}

std::vector<std::string> KernelDirectories(const char* override_directory,
                                           const std::string& program) {
  std::vector<std::string> directories;
  if (override_directory != nullptr && *override_directory != '\0') {
    directories.emplace_back(override_directory);
  }
  if (!program.empty()) {
    const std::filesystem::path bin =
        std::filesystem::path(program).parent_path();
    directories.push_back((bin.parent_path() / "lib" / "podsim").string());
  }
  directories.emplace_back(PODSIM_KERNEL_BUILD_DIR);
  directories.emplace_back(PODSIM_KERNEL_INSTALL_DIR);
  return directories;
}

std::vector<std::string> KernelDirectories() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return KernelDirectories(std::getenv("PODSIM_KERNEL_DIR"),
                           error ? "" : program.string());
}

absl::StatusOr<std::string> FindKernelModule(
    const std::string& isa, const std::vector<std::string>& directories) {
  const std::string name = absl::StrCat("podsim_kernels_", isa, ".so");
  std::string unreadable;
  for (const std::string& directory : directories) {
    std::string path = absl::StrCat(directory, "/", name);
    // Opened, not asked for by access(2), which ignores capabilities.
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.valid()) return path;
    if (errno != ENOENT && errno != ENOTDIR && unreadable.empty())
      unreadable = absl::StrCat(path, ": ", std::strerror(errno));
  }
  if (!unreadable.empty())
    return absl::PermissionDeniedError(absl::StrCat(
        "cannot read kernel module ", unreadable, " (user ", geteuid(),
        "); let this user read it and every directory above it, or set "
        "PODSIM_KERNEL_DIR to a directory that this user may read"));
  return absl::NotFoundError(
      absl::StrCat("no ", name, " in any of ", absl::StrJoin(directories, ", "),
                   "; install podsim or set PODSIM_KERNEL_DIR to the directory "
                   "that has it"));
}

absl::StatusOr<std::string> BestIsa(
    const std::string& cpu_isa, const std::vector<std::string>& directories) {
  PODSIM_RETURN_IF_ERROR(CheckLevel(IsaLevels().front(), cpu_isa));
  absl::Status missing;
  for (int rank = Rank(cpu_isa); rank >= 0; --rank) {
    const std::string& isa = IsaLevels()[static_cast<std::size_t>(rank)];
    const auto path = FindKernelModule(isa, directories);
    if (path.ok()) return isa;
    missing = path.status();
    // A module that is there, but not for us, is no reason for slower ones.
    if (absl::IsPermissionDenied(missing)) return missing;
  }
  return missing;
}

absl::StatusOr<const PodsimKernels*> OpenKernels(
    const std::string& isa, const std::string& cpu_isa,
    const std::vector<std::string>& directories) {
  PODSIM_RETURN_IF_ERROR(CheckLevel(isa, cpu_isa));
  return OpenModule(isa, directories);
}

absl::StatusOr<std::string> CpuIsa() {
  static const auto& isa = *new absl::StatusOr<std::string>(
      LevelWithTiles(VectorLevel(), {.listed = TilesListed,
                                     .permitted = AskForTiles,
                                     .proven = TilesProven}));
  return isa;
}

absl::StatusOr<std::string> BestIsa() {
  PODSIM_ASSIGN_OR_RETURN(const std::string cpu_isa, CpuIsa());
  return BestIsa(cpu_isa, KernelDirectories());
}

std::string CommonIsa(std::string_view a, std::string_view b) {
  PODSIM_CHECK(Rank(a) >= 0 && Rank(b) >= 0);
  return std::string(Rank(a) < Rank(b) ? a : b);
}

absl::StatusOr<const PodsimKernels*> LoadKernels(std::string_view isa) {
  static auto& cache = *new KernelCache;
  MutexLock lock(cache.mutex);
  if (const auto found = cache.tables.find(isa); found != cache.tables.end()) {
    return found->second;
  }
  PODSIM_ASSIGN_OR_RETURN(const std::string cpu_isa, CpuIsa());
  PODSIM_ASSIGN_OR_RETURN(
      const PodsimKernels* table,
      OpenKernels(std::string(isa), cpu_isa, KernelDirectories()));
  cache.tables.emplace(isa, table);
  return table;
}

const PodsimElementwise* FindElementwise(const PodsimKernels& kernels,
                                         std::string_view op) {
  for (const PodsimElementwise* each = kernels.elementwise; each->op != nullptr;
       ++each)
    if (op == each->op) return each;
  return nullptr;
}

std::string KernelLibraryVersion() { return "Eigen " PODSIM_EIGEN_VERSION; }

}  // namespace podsim
