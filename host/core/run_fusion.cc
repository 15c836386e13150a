#include "host/core/run_fusion.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "host/core/run_group.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

using Kind = FusedStep::Kind;

constexpr std::size_t kMostInputs = 4;

// Elements [first, first + wide) of the rows, in lines.
struct Tile {
  std::int64_t first = 0;
  std::int64_t wide = 0;
};

class FusionRun {
 public:
  FusionRun(const Fusion& fusion, const OpCall& call, AlignedFloats& slots)
      : fusion_(fusion), call_(call), slots_(slots) {
    slots_.Reserve(fusion.slots * fusion.tile);
    for (const FusedValue& value : fusion.values)
      places_.push_back(value.slot >= 0 ? Slot(value.slot)
                                        : call.ArrayAt(value.tensor).data);
    for (const FusedStep& step : fusion.steps)
      repeated_.push_back(RepeatedBy(step));
    for (const FusedStep& step : fusion.steps)
      if (step.once) Run(step, {0, fusion.tile});
  }

  void Run(const Tile& tile) {
    for (const FusedStep& step : fusion_.steps)
      if (!step.once) Run(step, tile);
  }

 private:
  std::byte* Slot(int slot) const {
    return reinterpret_cast<std::byte*>(slots_.data() + slot * fusion_.tile);
  }

  // Where what a step repeats lies; null: it repeats nothing.
  const std::byte* RepeatedBy(const FusedStep& step) const {
    const auto& inputs = step.instruction->inputs;
    if (step.kind == Kind::kRepeat) return call_.ArrayAt(inputs[0]).data;
    if (step.kind == Kind::kBias) return call_.ArrayAt(inputs[1]).data;
    return nullptr;
  }

  const std::byte* Repeated(const FusedStep& step) const {
    return repeated_[static_cast<std::size_t>(&step - fusion_.steps.data())];
  }

  const FusedValue& Value(int i) const {
    return fusion_.values[static_cast<std::size_t>(i)];
  }

  std::int64_t Count(int value, std::int64_t wide) const {
    return Value(value).per_line ? wide / fusion_.line : wide;
  }

  std::byte* At(int i, const Tile& tile) const {
    const FusedValue& value = Value(i);
    std::byte* place = places_[static_cast<std::size_t>(i)];
    if (value.slot >= 0) return place;
    return place + Count(i, tile.first) * value.element_bytes;
  }

  float* Floats(int i, const Tile& tile) const {
    return reinterpret_cast<float*>(At(i, tile));
  }

  void Run(const FusedStep& step, const Tile& tile) const {
    switch (step.kind) {
      case Kind::kMap:
        return RunMap(step, tile);
      case Kind::kRound:
        return call_.kernels.round_bfloat16(Count(step.out, tile.wide),
                                            Floats(step.in[0], tile),
                                            Floats(step.out, tile));
      case Kind::kBias:
        return RunBias(step, tile);
      case Kind::kArrays:
        return RunKernel(step, tile);
      case Kind::kFold:
        return RunFold(step, tile);
      case Kind::kSpread:
        return RunSpread(step, tile);
      case Kind::kRepeat:
        return RunRepeat(step, tile);
      case Kind::kFill:
        std::fill_n(Floats(step.out, tile), Count(step.out, tile.wide),
                    NumberOf(*step.instruction));
    }
  }

  // As each core has it.
  float NumberOf(const Instruction& constant) const {
    const Shape& shape = call_.program.tensor(constant.outputs[0]).shape;
    return static_cast<float>(ConstantFor(
        constant.attributes, DimsFor(shape, call_.rows / call_.cores())));
  }

  void RunMap(const FusedStep& step, const Tile& tile) const {
    const float* in[kMostInputs] = {};
    for (std::size_t i = 0; i < step.in.size(); ++i)
      in[i] = Floats(step.in[i], tile);
    float* out = Floats(step.out, tile);
    const std::int64_t count = Count(step.out, tile.wide);
    step.map->run(count, in, out);
    if (step.rounds) call_.kernels.round_bfloat16(count, out, out);
  }

  // fn(begin, end, place): stretches of the tile's elements, and where in the
  // operand that is repeated each begins.
  template <typename Fn>
  void ForPeriods(const FusedStep& step, const Tile& tile, const Fn& fn) const {
    const std::int64_t count = Count(step.out, tile.wide);
    std::int64_t place = Count(step.out, tile.first) % step.period;
    for (std::int64_t i = 0; i < count; place = 0) {
      const std::int64_t end = std::min(count, i + step.period - place);
      fn(i, end, place);
      i = end;
    }
  }

  void RunBias(const FusedStep& step, const Tile& tile) const {
    const auto* bias = reinterpret_cast<const float*>(Repeated(step));
    const float* x = Floats(step.in[0], tile);
    float* out = Floats(step.out, tile);
    ForPeriods(
        step, tile, [&](std::int64_t i, std::int64_t end, std::int64_t place) {
          call_.kernels.add_bias(1, end - i, x + i, bias + place, out + i);
        });
  }

  void RunRepeat(const FusedStep& step, const Tile& tile) const {
    const std::byte* from = Repeated(step);
    std::byte* out = At(step.out, tile);
    const std::int64_t bytes = Value(step.out).element_bytes;
    ForPeriods(step, tile,
               [&](std::int64_t i, std::int64_t end, std::int64_t place) {
                 std::memcpy(out + i * bytes, from + place * bytes,
                             static_cast<std::size_t>((end - i) * bytes));
               });
  }

  void RunFold(const FusedStep& step, const Tile& tile) const {
    step.fold(Count(step.out, tile.wide), fusion_.line,
              Floats(step.in[0], tile), Floats(step.out, tile));
  }

  void RunSpread(const FusedStep& step, const Tile& tile) const {
    const std::int64_t lines = Count(step.in[0], tile.wide);
    if (Value(step.out).element_bytes == 4)
      return call_.kernels.spread_lines(lines, fusion_.line,
                                        Floats(step.in[0], tile),
                                        Floats(step.out, tile));
    const std::byte* x = At(step.in[0], tile);
    std::byte* out = At(step.out, tile);
    for (std::int64_t i = 0; i < lines; ++i)
      std::fill_n(out + i * fusion_.line, fusion_.line, x[i]);
  }

  Array TileOf(int i, const Tile& tile) const {
    return {.dtype = Value(i).dtype,
            .dims = {Count(i, tile.wide)},
            .element_bytes = Value(i).element_bytes,
            .data = At(i, tile)};
  }

  void RunKernel(const FusedStep& step, const Tile& tile) const {
    std::vector<Array> in;
    for (const int operand : step.in) in.push_back(TileOf(operand, tile));
    const std::vector<Array> out = {TileOf(step.out, tile)};
    RunArrayKernel(call_, step.instruction->attributes,
                   KernelOf(step.instruction->op).arrays, in, out,
                   /*alone=*/false);
  }

  const Fusion& fusion_;
  const OpCall& call_;
  AlignedFloats& slots_;
  std::vector<std::byte*> places_;  // by value: its slot, or its first element
  std::vector<const std::byte*> repeated_;  // by step
};

}  // namespace

void RunFusion(const Fusion& fusion, const OpCall& call, std::int64_t begin,
               std::int64_t end) {
  thread_local AlignedFloats slots;
  const OpCall part = call.ForRows(begin, end);
  FusionRun run(fusion, part, slots);
  const std::int64_t all = part.row_count * fusion.row;
  for (std::int64_t first = 0; first < all; first += fusion.tile)
    run.Run({first, std::min(fusion.tile, all - first)});
}

}  // namespace podsim
