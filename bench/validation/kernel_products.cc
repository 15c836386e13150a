// Single products and copies that were measured alone, beside the time of one
// kernel of that work.
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "bench/validation/kernel_checks.h"
#include "chip/kernel_time.h"

namespace podsim::validation {
namespace {

constexpr double kInMicroseconds = 1e6;

// n x n x n of bfloat16, the result of so many bytes an element.
KernelWork ProductOf(double n, double result_bytes) {
  return {.matrix_flops = 2 * n * n * n,
          .hbm_bytes = n * n * (2 + 2 + result_bytes)};
}

KernelWork CopyOf(std::int64_t bytes) {
  return {.hbm_bytes = 2.0 * static_cast<double>(bytes)};
}

// Of a core, or of a chip whose cores act as one.
Row KernelRow(std::string what, const char* generation, const KernelWork& work,
              double published_us) {
  const Generation& named = GenerationNamed(generation);
  const auto time_on = [&](const ChipFigures& chip) {
    return PriceKernel(work, RatesOf(chip)).time.seconds() * kInMicroseconds;
  };
  const double time = time_on(FiguresOf(named));
  return {std::move(what), "us", published_us, time,
          SpreadOfKernels(time, named, time_on)};
}

Check ProductsAndCopies() {
  Check check = {
      .title = "Products and copies of v4, v6e and tpu7x",
      .source =
          "PALLAS-tut, chapter 2.9 (v4); AMB (v6e; tpu7x: "
          "Ironwood/guides/hbm)",
      .note =
          "bfloat16. v4: XLA's product with its prefetch, 84,165 cycles at "
          "1,050 MHz, both cores, the result in float32. v6e: device "
          "traces; its constants are those of v3. tpu7x: one core.",
      .fitted = "matrix_share of v4, kernel_seconds of tpu7x"};
  check.rows = {
      KernelRow("v4, product of 2048^3", "v4", ProductOf(2048, 4),
                84'165 / 1050.0),
      KernelRow("v6e, product of 8192^3", "v6e", ProductOf(8192, 2), 1328.8),
      KernelRow("v6e, copy of 32 MiB", "v6e", CopyOf(32 * kMiB), 49.4),
      KernelRow("tpu7x, copy of 2 MiB", "tpu7x", CopyOf(2 * kMiB),
                2 * 2 * kMiB / 1379.335021e3),
      KernelRow("tpu7x, copy of 8 GiB", "tpu7x", CopyOf(8 * kGiB),
                2 * 8 * kGiB / 3210.480912e3)};
  check.results = {WorstError(check.rows, 0.08, 0.15)};
  return check;
}

struct RateBySize {
  std::int64_t size;
  double rate;  // GB/s or TFLOP/s
};

Check CopiesOfTpu7x() {
  Check check = {
      .title = "Copies of tpu7x by size",
      .source = "AMB, Ironwood/guides/hbm: bandwidth for different sizes",
      .note =
          "One core; bytes of the copied array, which is read and written. "
          "4 MiB were measured at the rate of 8 MiB.",
      .fitted = "kernel_seconds of tpu7x, to the first row"};
  for (const RateBySize& row :
       {RateBySize{2 * kMiB, 1379.335021}, RateBySize{4 * kMiB, 2249.746091},
        RateBySize{8 * kMiB, 2246.129937}, RateBySize{16 * kMiB, 2757.308985},
        RateBySize{32 * kMiB, 3009.83593}, RateBySize{64 * kMiB, 3097.217778},
        RateBySize{128 * kMiB, 3176.50274}, RateBySize{256 * kMiB, 3167.144485},
        RateBySize{512 * kMiB, 3199.020504}, RateBySize{1 * kGiB, 3198.414211},
        RateBySize{2 * kGiB, 3203.486119}, RateBySize{4 * kGiB, 3197.879607},
        RateBySize{8 * kGiB, 3210.480912}}) {
    const KernelWork work = CopyOf(row.size);
    check.rows.push_back(KernelRow(BytesText(row.size), "tpu7x", work,
                                   work.hbm_bytes / (row.rate * 1e3)));
  }
  return check;
}

Check ProductsOfTpu7x() {
  Check check = {
      .title = "Products of tpu7x by size",
      .source =
          "AMB, Ironwood/Ironwood_Microbenchmarks_readme.md: bfloat16 "
          "products of n x n x n",
      .note =
          "One core. From 512 to 2,048 a product takes longer than both its "
          "parts: what fills and drains the overlap is not in the model.",
      .fitted = "kernel_seconds of tpu7x, to a copy"};
  for (const RateBySize& row :
       {RateBySize{128, 2.589961271}, RateBySize{256, 18.28645367},
        RateBySize{512, 105.0783466}, RateBySize{1024, 349.7270639},
        RateBySize{2048, 679.284728}, RateBySize{4096, 892.9445127},
        RateBySize{16384, 950.1286983}, RateBySize{32768, 956.3824592}}) {
    const KernelWork work = ProductOf(static_cast<double>(row.size), 2);
    check.rows.push_back(KernelRow(absl::StrCat(row.size, "^3"), "tpu7x", work,
                                   work.matrix_flops / (row.rate * 1e6)));
  }
  return check;
}

}  // namespace

std::vector<Check> HeldProductChecks() { return {ProductsAndCopies()}; }

std::vector<Check> OtherProductChecks() {
  return {CopiesOfTpu7x(), ProductsOfTpu7x()};
}

}  // namespace podsim::validation
