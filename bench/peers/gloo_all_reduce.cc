// Gloo's all-reduces over its TCP transport, ranks as forked processes.
//
//   gloo_all_reduce --ranks=4 --sizes=1K,64M --algo=ring_chunked
//
// --algo: ring, ring_chunked, halving_doubling (classes bound to a buffer),
// new_ring, new_bcube (the function gloo::allreduce).
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "measure.h"
#include "options.h"

namespace podsim::peers {
namespace {

using Context = std::shared_ptr<gloo::rendezvous::Context>;

Context Connect(const Group& group, const std::string& folder) {
  gloo::rendezvous::FileStore store(folder);
  auto device = gloo::transport::tcp::CreateDevice("127.0.0.1");
  auto context =
      std::make_shared<gloo::rendezvous::Context>(group.rank(), group.ranks());
  context->connectFullMesh(store, device);
  return context;
}

template <typename Bound>
AllReduce MakeBound(const Context& context, std::span<float> values) {
  auto algorithm = std::make_shared<Bound>(context, std::vector{values.data()},
                                           static_cast<int>(values.size()));
  return [algorithm] { algorithm->run(); };
}

AllReduce MakeFunction(const Context& context, std::span<float> values,
                       gloo::AllreduceOptions::Algorithm algorithm) {
  auto options = std::make_shared<gloo::AllreduceOptions>(context);
  options->setAlgorithm(algorithm);
  options->setOutput(values.data(), values.size());
  options->setReduceFunction(
      static_cast<void (*)(void*, const void*, const void*, std::size_t)>(
          &gloo::sum<float>));
  return [options] { gloo::allreduce(*options); };
}

AllReduce Make(const std::string& algo, const Context& context,
               std::span<float> values) {
  using gloo::AllreduceOptions;
  if (algo == "ring") {
    return MakeBound<gloo::AllreduceRing<float>>(context, values);
  }
  if (algo == "ring_chunked") {
    return MakeBound<gloo::AllreduceRingChunked<float>>(context, values);
  }
  if (algo == "halving_doubling") {
    return MakeBound<gloo::AllreduceHalvingDoubling<float>>(context, values);
  }
  if (algo == "new_ring") {
    return MakeFunction(context, values, AllreduceOptions::Algorithm::RING);
  }
  if (algo == "new_bcube") {
    return MakeFunction(context, values, AllreduceOptions::Algorithm::BCUBE);
  }
  Die("--algo=" + algo +
      ": give ring, ring_chunked, halving_doubling, new_ring or new_bcube");
}

}  // namespace
}  // namespace podsim::peers

int main(int argc, char** argv) {
  using namespace podsim::peers;
  const Options options = ParseOptions(argc, argv, {{"algo", "ring_chunked"}});
  const std::string algo = options.own.at("algo");
  char folder[] = "/tmp/gloo_all_reduce-XXXXXX";
  if (mkdtemp(folder) == nullptr) DieOfErrno(folder);
  const int code = RunForked(options.ranks, [&](Group& group) {
    const Context context = Connect(group, folder);
    MeasureSizes(options, group, "gloo", algo, [&](std::span<float> values) {
      return Make(algo, context, values);
    });
  });
  std::filesystem::remove_all(folder);
  return code;
}
