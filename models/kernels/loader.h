// How a kernel module is found and opened, apart from the process-wide cache
// that LoadKernels keeps. Everything is passed in, so that tests can play an
// older CPU or a missing module. Other folders use kernels.h.
#ifndef PODSIM_MODELS_KERNELS_LOADER_H_
#define PODSIM_MODELS_KERNELS_LOADER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/kernels/kernel_table.h"

namespace podsim {

// The highest level that this CPU runs, "" if it is older than v2. The first
// call asks the CPU, the operating system and, where both say there is a tile
// unit, the amx module's trial; later calls repeat the answer.
absl::StatusOr<std::string> CpuIsa();

// Whether a CPU of level `cpu_isa` ("" allowed) runs code for `isa`.
bool Runs(const std::string& cpu_isa, const std::string& isa);

// Where modules are looked for, in order. `override_directory` is what
// $PODSIM_KERNEL_DIR says (nullptr if unset), `program` the running program's
// path ("" if unknown).
std::vector<std::string> KernelDirectories(const char* override_directory,
                                           const std::string& program);

// KernelDirectories of this process.
std::vector<std::string> KernelDirectories();

// The module's path in the first directory that has it.
// Errors: NOT_FOUND (names every directory); PERMISSION_DENIED (it is in none
//   of those that this user may read, but perhaps in another).
absl::StatusOr<std::string> FindKernelModule(
    const std::string& isa, const std::vector<std::string>& directories);

// As kernels.h' BestIsa, for a CPU of level `cpu_isa`.
absl::StatusOr<std::string> BestIsa(
    const std::string& cpu_isa, const std::vector<std::string>& directories);

// As LoadKernels, without its cache.
absl::StatusOr<const PodsimKernels*> OpenKernels(
    const std::string& isa, const std::string& cpu_isa,
    const std::vector<std::string>& directories);

}  // namespace podsim

#endif  // PODSIM_MODELS_KERNELS_LOADER_H_
