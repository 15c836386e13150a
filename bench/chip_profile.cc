// What a chip runs for one training step of a model, kernel by kernel: a
// command for whoever works on chip/.
//
//   chip_profile resnet50 128             a named model, rows per core
//   chip_profile mine.model 128 v4-8 20   a file, a slice's chip, lines
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "chip/fuse.h"
#include "chip/homes.h"
#include "chip/kernel_time.h"
#include "interconnect/topology/slice.h"
#include "models/zoo/zoo.h"
#include "runtime/files/model_file.h"

namespace podsim {
namespace {

constexpr double kTranscendentalFlops = 10;

absl::StatusOr<ModelProto> ModelOf(const std::string& name) {
  if (absl::EndsWith(name, ".model")) return ReadModelFile(name);
  ModelConfig config;
  config.set_name(name);
  const bool images = absl::StartsWith(name, "resnet");
  config.set_classes(images ? 1000 : 10);
  if (images) {
    for (const int dim : {224, 224, 3}) config.add_example_shape(dim);
  } else if (!IsPlanned(name)) {
    config.add_example_shape(64);
  }
  return BuildModel(config);
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since)
      .count();
}

absl::Status Show(const std::string& name, std::int64_t rows,
                  const std::string& slice_name, std::size_t lines) {
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, FindSlice(slice_name));
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, ModelOf(name));
  auto begin = std::chrono::steady_clock::now();
  PODSIM_ASSIGN_OR_RETURN(const Program program, CompileModel(model, {}));
  std::cout << absl::StrFormat("compiled in %.2f s\n", Seconds(begin));
  begin = std::chrono::steady_clock::now();
  const ChipGraph graph = ChipGraphOf(program, EntryPoint::kTrainMicrobatch);
  const ChipFacts facts = FactsOf(graph);
  const ChipProgram chip = FuseForChip(
      graph, facts,
      {.rows = rows, .matrix_unit_side = slice.chip().matrix_unit_side});
  std::cout << absl::StrFormat("fused in %.2f s: %d nodes\n", Seconds(begin),
                               graph.nodes.size());
  const KernelRates rates = RatesOf(slice.chip());
  struct Line {
    double seconds;
    KernelBound bound;
    const ChipKernel* kernel;
  };
  std::vector<Line> all;
  double total = 0;
  double flops = 0;
  double bytes = 0;
  double in_products = 0;
  int products = 0;
  for (const ChipKernel& kernel : chip.kernels) {
    const KernelTime time = PriceKernel(
        {.matrix_flops = kernel.matrix_flops,
         .vector_flops = kernel.vector_flops +
                         kTranscendentalFlops * kernel.transcendentals,
         .hbm_bytes = kernel.hbm_bytes()},
        rates);
    all.push_back({time.time.seconds(), time.bound, &kernel});
    total += time.time.seconds();
    bytes += kernel.hbm_bytes();
    for (const ChipProduct& product : kernel.products)
      flops += 2 * product.multiply_adds;
    if (kernel.kind == ChipKernelKind::kProduct) {
      ++products;
      in_products += time.time.seconds();
    }
  }
  const ChipHbm hbm = FullestHbm(graph, chip, HomesOf(graph, chip, rows));
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  std::cout << absl::StrFormat(
      "%d kernels, %d products; %.3f TFLOP; %.2f GiB moved; %.2f ms sim, "
      "%.2f in products\n",
      chip.kernels.size(), products, flops / 1e12, bytes / kGiB, total * 1e3,
      in_products * 1e3);
  std::cout << absl::StrFormat(
      "HBM %.2f GiB: weights %.2f, gradients %.2f, optimizer %.2f, "
      "activations %.2f, inputs %.2f\n",
      hbm.total() / kGiB, hbm.weights / kGiB, hbm.gradients / kGiB,
      hbm.optimizer_state / kGiB, hbm.activations / kGiB, hbm.inputs / kGiB);
  std::sort(all.begin(), all.end(),
            [](const Line& a, const Line& b) { return a.seconds > b.seconds; });
  if (all.size() > lines) all.resize(lines);
  for (const Line& line : all) {
    const ChipNode& node = graph.node(line.kernel->main);
    std::cout << absl::StrFormat(
        "%9.1f us %-10s %8.2f GFLOP %8.1f MB %3d nodes %s %s\n",
        line.seconds * 1e6, KernelBoundName(line.bound),
        line.kernel->matrix_flops / 1e9, line.kernel->hbm_bytes() / 1e6,
        line.kernel->nodes.size(), node.op.name(),
        graph.value(node.results[0]).name);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "chip_profile MODEL ROWS [SLICE [LINES]]\n";
    return 2;
  }
  const absl::Status status = podsim::Show(
      argv[1], std::atol(argv[2]), argc > 3 ? argv[3] : "v3-8",
      argc > 4 ? static_cast<std::size_t>(std::atol(argv[4])) : 20);
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
