// InitVariables: every value is a pure function of (seed, variable name,
// index), with the same bits on every machine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/portable_math.h"
#include "base/random.h"
#include "base/status.h"
#include "host/core/core.h"

namespace podsim {
namespace {

double Uniform(std::uint32_t word) { return (word >> 8) * 0x1p-24; }

// Four values at a time, as Philox makes four words.
using Block = std::array<double, 4>;

// [0, 1)
Block Uniforms(std::uint64_t key, std::uint64_t block) {
  const auto words = Philox(key, block, 0);
  return {Uniform(words[0]), Uniform(words[1]), Uniform(words[2]),
          Uniform(words[3])};
}

// Box and Muller's transform: two uniform values give two normal ones.
Block Normals(std::uint64_t key, std::uint64_t block) {
  const Block uniform = Uniforms(key, block);
  Block normal;
  for (std::size_t i = 0; i < 4; i += 2) {
    const double radius = std::sqrt(-2 * PortableLog(1 - uniform[i]));
    const PointOnCircle point = PortableCircle(uniform[i + 1]);
    normal[i] = radius * point.cosine;
    normal[i + 1] = radius * point.sine;
  }
  return normal;
}

// How numbers are drawn, and what they are multiplied with.
struct Draw {
  bool normal = false;
  double scale = 0;
};

Draw DrawOf(const ProgramVariable& variable) {
  const auto fan_in = static_cast<double>(variable.fan_in);
  const auto fan_out = static_cast<double>(variable.fan_out);
  switch (variable.initializer) {
    case Initializer::kHeNormal:
      return {true, std::sqrt(2 / fan_in)};
    case Initializer::kSmallNormal:
      return {true, 0.02};
    case Initializer::kGlorotUniform:
      return {false, std::sqrt(6 / (fan_in + fan_out))};
    case Initializer::kZeros:
    case Initializer::kOnes:
      break;
  }
  return {};
}

void Fill(const ProgramVariable& variable, std::uint64_t key,
          std::span<float> values) {
  const Initializer initializer = variable.initializer;
  if (variable.is_slot || initializer == Initializer::kZeros ||
      initializer == Initializer::kOnes) {
    const bool ones = !variable.is_slot && initializer == Initializer::kOnes;
    std::fill(values.begin(), values.end(), ones ? 1.0F : 0.0F);
    return;
  }
  const auto [normal, scale] = DrawOf(variable);
  for (std::size_t begin = 0; begin < values.size(); begin += 4) {
    const Block block =
        normal ? Normals(key, begin / 4) : Uniforms(key, begin / 4);
    const std::size_t end = std::min(values.size(), begin + 4);
    for (std::size_t i = begin; i < end; ++i) {
      const double value = block[i - begin];
      values[i] = static_cast<float>(scale * (normal ? value : 2 * value - 1));
    }
  }
}

}  // namespace

void InitVariables(const Program& program, std::uint64_t seed,
                   std::span<float> variables) {
  PODSIM_CHECK(static_cast<std::int64_t>(variables.size()) >=
               program.variable_elements);
  for (const ProgramVariable& variable : program.variables) {
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    const auto values =
        variables.subspan(static_cast<std::size_t>(tensor.offset),
                          static_cast<std::size_t>(tensor.shape.elements()));
    if (variable.initial == nullptr)
      Fill(variable, RandomKey(seed, tensor.name), values);
    else
      std::memcpy(values.data(), variable.initial->data(), values.size_bytes());
  }
}

}  // namespace podsim
