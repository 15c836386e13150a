// Memory of every named model's Program: what the executor touches is what
// Compile has counted, and nobody reads what nobody has written or what is
// written over.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "host/core/core.h"
#include "models/graph/row_groups.h"
#include "models/zoo/zoo.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/program_memory.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr std::int64_t kCores = 3;
constexpr std::int64_t kRowsOfCore = 2;
constexpr std::int64_t kRows = kCores * kRowsOfCore;
constexpr unsigned char kPoison = 0xff;  // NaN, and no index

Program ProgramOf(const std::string& model) {
  ModelConfig config;
  config.set_name(model);
  config.add_example_shape(8);
  config.add_example_shape(8);
  config.set_classes(10);
  if (model == "encoder") config.set_dropout(0.3);
  auto program = BuildProgram(config, {});
  EXPECT_THAT(program, IsOk());
  return std::move(program).value_or(Program());
}

// Each group of instructions that runs at once, alone.
std::vector<Segment> StepsOf(const Program& program, EntryPoint entry) {
  std::vector<Segment> steps;
  for (const Segment& segment : program.entries.at(entry))
    for (const auto group : RowGroups(segment.instructions)) {
      Segment& step = steps.emplace_back();
      step.instructions.assign(group.begin(), group.end());
    }
  return steps;
}

// From the step that writes a tensor to the last that reads it.
struct Life {
  std::size_t first = 0;
  std::size_t last = 0;
};

std::map<TensorId, Life> LivesOf(const Program& program,
                                 const std::vector<Segment>& steps) {
  std::map<TensorId, Life> lives;
  for (std::size_t at = 0; at < steps.size(); ++at)
    for (const Instruction& instruction : steps[at].instructions) {
      for (const TensorId id : instruction.outputs)
        lives.emplace(id, Life{at, at});
      for (const TensorId id : instruction.inputs)
        if (const auto life = lives.find(program.root(id)); life != lives.end())
          life->second.last = at;
    }
  return lives;
}

// How many copies of a tensor lie in its arena; 0: in none that is poisoned.
std::int64_t CopiesOf(const ProgramTensor& tensor) {
  if (tensor.storage == Storage::kBatched) return kRows;
  if (tensor.storage == Storage::kPerCore) return kCores;
  return tensor.storage == Storage::kScratch ? 1 : 0;
}

std::span<float> ArenaOf(ProgramMemory& memory, const ProgramTensor& tensor) {
  return tensor.storage == Storage::kBatched   ? memory.batched.span()
         : tensor.storage == Storage::kPerCore ? memory.per_core.span()
                                               : memory.scratch.span();
}

// Everything but what is written before step `at` and read there or later.
void Poison(const Program& program, const std::map<TensorId, Life>& lives,
            std::size_t at, ProgramMemory& memory) {
  std::vector<std::pair<std::span<float>, std::vector<float>>> kept;
  for (const auto& [id, life] : lives) {
    const ProgramTensor& tensor = program.tensor(id);
    const std::int64_t copies = CopiesOf(tensor);
    if (copies == 0 || life.first >= at || life.last < at) continue;
    const auto place =
        ArenaOf(memory, tensor)
            .subspan(tensor.offset * copies, tensor.places() * copies);
    kept.emplace_back(place, std::vector<float>(place.begin(), place.end()));
  }
  for (GuardedArena* arena :
       {&memory.batched, &memory.per_core, &memory.scratch})
    std::memset(arena->span().data(), kPoison, arena->span().size() * 4);
  for (const auto& [place, values] : kept)
    std::memcpy(place.data(), values.data(), values.size() * 4);
}

class Liveness
    : public ::testing::TestWithParam<std::tuple<std::string, EntryPoint>> {
 protected:
  const Program program_ = ProgramOf(std::get<0>(GetParam()));
  const EntryPoint entry_ = std::get<1>(GetParam());
};

TEST_P(Liveness, PoisonInFreePlacesChangesNothing) {
  const std::vector<Segment> steps = StepsOf(program_, entry_);
  const std::map<TensorId, Life> lives = LivesOf(program_, steps);
  ProgramMemory clean(program_, kRows, kRowsOfCore);
  for (const Segment& step : steps) clean.Run(step);
  ProgramMemory poisoned(program_, kRows, kRowsOfCore);
  for (std::size_t at = 0; at < steps.size(); ++at) {
    Poison(program_, lives, at, poisoned);
    poisoned.Run(steps[at]);
  }
  EXPECT_EQ(poisoned.Results(), clean.Results());
}

// The highest place of what the entry writes; bytes fill places from the first.
std::int64_t HighestOf(const Program& program,
                       const std::map<TensorId, Life>& lives, Storage storage) {
  std::int64_t highest = 0;
  for (const auto& [id, life] : lives) {
    const ProgramTensor& tensor = program.tensor(id);
    if (tensor.storage != storage) continue;
    const std::int64_t copies =
        storage == Storage::kOutput ? kRows : CopiesOf(tensor);
    const std::int64_t bytes =
        tensor.shape.elements() * tensor.element_bytes() * copies;
    highest = std::max(highest, tensor.offset * copies + (bytes + 3) / 4);
  }
  return highest;
}

TEST_P(Liveness, TouchesWhatIsCounted) {
  const std::vector<Segment> steps = StepsOf(program_, entry_);
  const std::map<TensorId, Life> lives = LivesOf(program_, steps);
  ProgramMemory memory(program_, kRows, kRowsOfCore);
  for (const Segment& step : steps) memory.Run(step);
  const auto highest = [&](Storage storage) {
    return HighestOf(program_, lives, storage);
  };
  EXPECT_EQ(memory.batched.Touched(), highest(Storage::kBatched));
  EXPECT_EQ(memory.per_core.Touched(), highest(Storage::kPerCore));
  EXPECT_EQ(memory.scratch.Touched(), highest(Storage::kScratch));
  EXPECT_LE(memory.outputs.Touched(), program_.output_elements_per_row * kRows);
}

// Training, which needs more than an evaluation, fills the arenas to the top.
TEST_P(Liveness, ArenasAreNoLargerThanTheirContents) {
  if (entry_ != EntryPoint::kTrainMicrobatch) return;
  std::int64_t batched = 0;
  std::int64_t per_core = 0;
  for (const auto entry : {EntryPoint::kTrainMicrobatch, EntryPoint::kEval})
    for (const auto& [id, life] : LivesOf(program_, StepsOf(program_, entry))) {
      const ProgramTensor& tensor = program_.tensor(id);
      const std::int64_t end = tensor.offset + tensor.places();
      if (tensor.storage == Storage::kBatched) batched = std::max(batched, end);
      if (tensor.storage == Storage::kPerCore)
        per_core = std::max(per_core, end);
    }
  EXPECT_EQ(batched, program_.batched_elements_per_row);
  EXPECT_EQ(per_core, program_.per_core_elements);
}

INSTANTIATE_TEST_SUITE_P(
    Models, Liveness,
    ::testing::Combine(::testing::ValuesIn(TrainedModelNames()),
                       ::testing::Values(EntryPoint::kTrainMicrobatch,
                                         EntryPoint::kEval)),
    [](const auto& info) {
      return std::get<0>(info.param) +
             (std::get<1>(info.param) == EntryPoint::kEval ? "_eval"
                                                           : "_train");
    });

}  // namespace
}  // namespace podsim::testing
