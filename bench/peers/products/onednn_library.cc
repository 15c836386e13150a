// oneDNN: float32, and bfloat16 where the CPU has instructions for it. Weights
// are packed once, as it likes them, when a product is prepared.
#include <omp.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "../options.h"
#include "library.h"

namespace podsim::peers {
namespace {

using dnnl::memory;
using DataType = memory::data_type;

memory::desc Strided(std::int64_t rows, std::int64_t columns, bool transposed,
                     DataType type) {
  const memory::dims strides =
      transposed ? memory::dims{1, rows} : memory::dims{columns, 1};
  return memory::desc(memory::dims{rows, columns}, type, strides);
}

dnnl::matmul::primitive_desc Describe(const memory::desc& a,
                                      const memory::desc& b,
                                      const memory::desc& c,
                                      const dnnl::engine& engine) {
  // The library's own scratch memory belongs to the thread that made the
  // primitive; this one is the primitive's.
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
#if DNNL_VERSION_MAJOR < 3
  return {dnnl::matmul::desc(a, b, c), attributes, engine};
#else
  return {engine, a, b, c, attributes};
#endif
}

// `values` as `want` describes them, in memory of its own.
memory Reordered(const memory::desc& have, const float* values,
                 const memory::desc& want, const dnnl::engine& engine) {
  memory from(have, engine, const_cast<float*>(values));
  memory to(want, engine);
  dnnl::stream stream(engine);
  dnnl::reorder(from, to).execute(stream, from, to);
  stream.wait();
  return to;
}

std::function<void()> Ready(const Product& p, const Operands& operands,
                            DataType type) {
  omp_set_num_threads(1);  // of this thread's parallel regions
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::desc a = Strided(p.m, p.k, p.a_transposed, type);
  const memory::desc b =
      p.b_is_weights
          ? memory::desc(memory::dims{p.k, p.n}, type, memory::format_tag::any)
          : Strided(p.k, p.n, p.b_transposed, type);
  const memory::desc c = Strided(p.m, p.n, false, DataType::f32);
  const auto described = Describe(a, b, c, engine);
  std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, Reordered(Strided(p.m, p.k, p.a_transposed, DataType::f32),
                               operands.a, a, engine)},
      {DNNL_ARG_WEIGHTS,
       Reordered(Strided(p.k, p.n, p.b_transposed, DataType::f32), operands.b,
                 described.weights_desc(), engine)},
      {DNNL_ARG_DST, memory(c, engine, operands.c)},
      {DNNL_ARG_SCRATCHPAD, memory(described.scratchpad_desc(), engine)}};
  return [primitive = dnnl::matmul(described), stream = dnnl::stream(engine),
          arguments] { primitive.execute(stream, arguments); };
}

}  // namespace

Prepare OneDnnLibrary(const std::string& dtype) {
  const unsigned runtime = dnnl_version()->cpu_runtime;
  if (runtime != DNNL_RUNTIME_OMP && runtime != DNNL_RUNTIME_SEQ)
    Die("this oneDNN runs on threads that cannot be held to one");
  const DataType type = dtype == "float32" ? DataType::f32 : DataType::bf16;
  return [type](const Product& product, const Operands& operands) {
    try {
      return Ready(product, operands, type);
    } catch (const dnnl::error& error) {
      Die("oneDNN, " + product.name + ": " + error.what());
    }
  };
}

}  // namespace podsim::peers
