// What raw sockets allow: an all-reduce with podsim's frames, checksums and
// sums, and nothing else between the ranks.
//
//   limit_all_reduce --ranks=4 --sizes=1K,64M --algo=ring --socket=unix
//
// --chunk: bytes, at most, of a frame. --sequence: bytes of a rank's buffer up
// to which ops run one by one with blocking calls. --whole: bytes up to which
// halving_doubling exchanges whole buffers. --buffer: socket buffers asked for.
// --yields: how often a rank gives way before it sleeps in a receive.
#include <memory>

#include "limit_pipeline.h"
#include "limit_plan.h"
#include "limit_sequence.h"
#include "limit_sockets.h"
#include "measure.h"
#include "options.h"

namespace podsim::peers {
namespace {

constexpr std::size_t kDirectAtMost = std::size_t{256} << 10;

bool IsOn(const Options& options, const std::string& name) {
  return options.own.at(name) == "1";
}

std::size_t Bytes(const Options& options, const std::string& name) {
  return ParseSize(options.own.at(name));
}

AllReduce Make(const Options& options, const std::vector<int>& sockets,
               int rank, std::span<float> values) {
  const bool in_sequence = values.size_bytes() <= Bytes(options, "sequence");
  if (options.own.at("algo") == "direct" &&
      values.size_bytes() > kDirectAtMost) {
    Die("direct sends whole buffers of at most 256K; give direct_two_phase");
  }
  const Plan plan =
      MakePlan({.algorithm = options.own.at("algo"),
                .ranks = options.ranks,
                .elements = values.size(),
                .chunk = in_sequence ? values.size()
                                     : Bytes(options, "chunk") / sizeof(float),
                .whole = Bytes(options, "whole") / sizeof(float)},
               rank);
  const auto yields = static_cast<int>(Bytes(options, "yields"));
  const FrameRules rules{IsOn(options, "checksum"), rank};
  float* const data = values.data();
  if (in_sequence || plan.in_sequence) {
    auto run =
        std::make_shared<Sequence>(rules, sockets, plan, values.size(), yields);
    return [run, data] { run->Run(data); };
  }
  auto run = std::make_shared<Pipeline>(rules, sockets, plan,
                                        IsOn(options, "reuse_crc"), yields);
  return [run, data] { run->Run(data); };
}

}  // namespace
}  // namespace podsim::peers

int main(int argc, char** argv) {
  using namespace podsim::peers;
  const Options options = ParseOptions(argc, argv,
                                       {{"algo", "ring"},
                                        {"socket", "unix"},
                                        {"checksum", "1"},
                                        {"reuse_crc", "0"},
                                        {"chunk", "256K"},
                                        {"sequence", "256K"},
                                        {"whole", "64K"},
                                        {"buffer", "1M"},
                                        {"yields", "100"}});
  const std::string& kind = options.own.at("socket");
  const Mesh mesh =
      ConnectMesh(kind, options.ranks, ParseSize(options.own.at("buffer")));
  return RunForked(options.ranks, [&](Group& group) {
    const std::vector<int> sockets = KeepOwn(mesh, group.rank());
    MeasureSizes(options, group, "limit", kind + "/" + options.own.at("algo"),
                 [&](std::span<float> values) {
                   return Make(options, sockets, group.rank(), values);
                 });
  });
}
