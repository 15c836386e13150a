// The numerics behind a table of C functions, one shared object per ISA level.
//
// The same Eigen source is compiled once per level into a module with hidden
// symbols and one exported function; the module is opened with RTLD_LOCAL, so
// that no weak symbol is shared between levels. All matrices are row-major
// float32. Every function is single-threaded, allocates nothing, and its bits
// depend on its arguments alone.
#ifndef PODSIM_MODELS_KERNELS_KERNELS_H_
#define PODSIM_MODELS_KERNELS_KERNELS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/kernels/kernel_table.h"  // IWYU pragma: export

namespace podsim {

// ISA levels in ascending order: "v2" (x86-64-v2), "v3" (AVX2, FMA), "v4"
// (AVX-512), "bf16" (v4, with bfloat16 products by AVX512-BF16) and "amx" (v4,
// with bfloat16 products on AMX-BF16). A CPU counts as "amx" once the operating
// system has let this process use tiles and a trial product came out right.
// Else it counts as "bf16" only if it is AMD's, whose cores multiply pairs of
// bfloat16 at twice the speed of float32 (Zen 4); Intel's were measured at half
// of it (Emerald Rapids) and stay "v4".
const std::vector<std::string>& IsaLevels();

// The best level that this CPU runs and whose module is installed.
// Errors: FAILED_PRECONDITION (the CPU is older than v2), UNAVAILABLE (the
//   trial product could not be made), NOT_FOUND (no module; says where it was
//   looked for).
absl::StatusOr<std::string> BestIsa();

// The lower of two levels. REQUIRES: both in IsaLevels().
std::string CommonIsa(std::string_view a, std::string_view b);

// Opens a level's module once per process (later calls return the same table,
// valid until the process ends). Thread-safe. Looked for in
// $PODSIM_KERNEL_DIR, ../lib/podsim beside the program, the build tree and the
// installed tree, in this order.
// Errors: INVALID_ARGUMENT (unknown level), FAILED_PRECONDITION (this CPU
//   cannot run it), NOT_FOUND (module), INTERNAL (wrong ABI).
absl::StatusOr<const PodsimKernels*> LoadKernels(std::string_view isa);

// An element-wise op's kernel; null if the table has none.
const PodsimElementwise* FindElementwise(const PodsimKernels& kernels,
                                         std::string_view op);

// "Eigen 3.4.0": enters the plan.
std::string KernelLibraryVersion();

}  // namespace podsim

#endif  // PODSIM_MODELS_KERNELS_KERNELS_H_
