#include "models/graph/verify_run.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/exchanges.h"
#include "models/graph/program.h"
#include "models/graph/wire_types.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

absl::Status BadRun(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

// What lies in an arena: intervals that do not overlap, by where they begin.
struct Region {
  std::int64_t end = 0;
  std::int32_t tensor = 0;
};
using Arena = std::map<std::int64_t, Region>;

// The first interval that ends behind `begin`.
template <typename Map>
auto FirstIn(Map& arena, std::int64_t begin) {
  auto it = arena.upper_bound(begin);
  if (it != arena.begin() && std::prev(it)->second.end > begin) --it;
  return it;
}

class EntryRun {
 public:
  EntryRun(const ProgramProto& program, ConstantReader& constants,
           ProgramProto::EntryPoint point)
      : program_(program),
        constants_(constants),
        point_(point),
        defined_(static_cast<std::size_t>(program.tensors_size())),
        touched_(defined_.size(), -1) {
    for (int id = 0; id < program.tensors_size(); ++id) {
      const auto storage = program.tensors(id).storage();
      if (storage == ProgramProto::VARIABLE || storage == ProgramProto::INPUT ||
          (storage == ProgramProto::GRADIENT && point == ProgramProto::UPDATE))
        Write(id);
    }
  }

  absl::Status Run(const ProgramProto::Entry& entry) {
    const bool reduces =
        point_ == ProgramProto::TRAIN || point_ == ProgramProto::REDUCE;
    for (int i = 0; i < entry.segments_size(); ++i) {
      const ProgramProto::Segment& segment = entry.segments(i);
      const std::string place = absl::StrCat(
          absl::AsciiStrToLower(ProgramProto::EntryPoint_Name(point_)),
          " segment ", i);
      const absl::Status status =
          segment.kind() == ProgramProto::Segment::ALL_REDUCE
              ? Reduce(segment, reduces)
              : Compute(segment, place);
      if (!status.ok())
        return segment.kind() == ProgramProto::Segment::ALL_REDUCE
                   ? Annotate(status, place)
                   : status;
    }
    return CheckEnd(entry, reduces);
  }

  // Whether an instruction needs all the examples of its core.
  bool mixes() const { return mixes_; }
  // Buckets, in the order of their all-reduces.
  const std::vector<std::int32_t>& reduced() const { return reduced_; }

 private:
  absl::Status Reduce(const ProgramProto::Segment& segment, bool reduces) {
    if (segment.has_tensor()) return Exchange(segment);
    if (!reduces || segment.bucket() < 0 ||
        segment.bucket() >= program_.buckets_size() ||
        !is_reduced_.insert(segment.bucket()).second)
      return BadRun(absl::StrCat("it reduces bucket ", segment.bucket(),
                                 "; there are ", program_.buckets_size(),
                                 ", and each is reduced once"));
    if (segment.group() != 0 || !segment.instructions().empty() ||
        segment.reduce() != ProgramProto::Segment::SUM)
      return BadRun("a bucket's is a sum of group 0 and has no instructions");
    for (const std::int32_t id : program_.buckets(segment.bucket()).gradients())
      if (point_ == ProgramProto::TRAIN && !Defined(id))
        return BadRun(absl::StrCat("gradient ", program_.tensors(id).name(),
                                   " is not written before"));
    reduced_.push_back(segment.bucket());
    return absl::OkStatus();
  }

  absl::Status Exchange(const ProgramProto::Segment& segment) {
    if (joined_ < 0 || segment.tensor() != joined_ ||
        segment.group() != group_size_ || segment.reduce() != reduce_)
      return BadRun("it joins no tensor as an all_reduce has just done");
    if (segment.bucket() != 0 || !segment.instructions().empty())
      return BadRun("a tensor's has no bucket and no instructions");
    joined_ = -1;
    return absl::OkStatus();
  }

  // Nothing may come between what sums a host's cores and the other hosts'.
  absl::Status CheckJoined() const {
    if (joined_ < 0) return absl::OkStatus();
    return BadRun(absl::StrCat("the all-reduce of ",
                               program_.tensors(joined_).name(),
                               " over several cores does not follow"));
  }

  absl::Status Join(const ProgramProto::Instruction& each) {
    const OpAttributes attributes = constants_.Attributes(each.attributes());
    if (GroupSizeOf(attributes) == 1) return absl::OkStatus();
    if (point_ != ProgramProto::TRAIN)
      return BadRun("cores are joined in training alone");
    joined_ = each.results(0);
    group_size_ = static_cast<std::int32_t>(GroupSizeOf(attributes));
    reduce_ = static_cast<int>(ReduceOpOf(attributes));
    return absl::OkStatus();
  }

  absl::Status Compute(const ProgramProto::Segment& segment,
                       const std::string& place) {
    PODSIM_RETURN_IF_ERROR(Annotate(CheckJoined(), place));
    if (segment.kind() != ProgramProto::Segment::COMPUTE ||
        segment.bucket() != 0 || segment.group() != 0 || segment.has_tensor() ||
        segment.reduce() != ProgramProto::Segment::SUM)
      return Annotate(BadRun("no segment has that kind"), place);
    if (point_ == ProgramProto::INIT || point_ == ProgramProto::REDUCE)
      return Annotate(BadRun("nothing is computed here"), place);
    ++group_;
    std::int32_t neighbour = -1;
    for (int i = 0; i < segment.instructions_size(); ++i) {
      const ProgramProto::Instruction& each = segment.instructions(i);
      const std::int32_t number = each.has_row_group() ? each.row_group() : -1;
      if (number < 0 || number != neighbour) ++group_;
      neighbour = number;
      PODSIM_RETURN_IF_ERROR(Annotate(CheckJoined(), place));
      PODSIM_RETURN_IF_ERROR(Annotate(
          Execute(each),
          absl::StrCat(place, ", instruction ", i, " (",
                       CheckName(each.op(), 64).ok() ? each.op() : "?", ")")));
    }
    return absl::OkStatus();
  }

  absl::Status Execute(const ProgramProto::Instruction& each) {
    const OpEntry* entry = FindOp(each.op());
    if (entry == nullptr) return BadRun("there is no such op");
    if (entry->is_update != (point_ == ProgramProto::UPDATE))
      return BadRun(
          "updates are made in the entry point update, and only there");
    for (const std::int32_t id : each.operands()) {
      if (!Exists(id)) return BadRun(absl::StrCat("there is no tensor ", id));
      if (!Defined(id))
        return BadRun(
            absl::StrCat("it reads ", program_.tensors(id).name(),
                         ", which is not written yet or written over"));
      touched_[static_cast<std::size_t>(RootOf(id))] = group_;
    }
    for (const std::int32_t id : each.results())
      if (!Exists(id) || RootOf(id) != id)
        return BadRun(absl::StrCat("there is no tensor ", id, " to write"));
    PODSIM_RETURN_IF_ERROR(constants_.Check(each.attributes()));
    PODSIM_RETURN_IF_ERROR(CheckTypes(*entry, each));
    if (entry->joins_cores) PODSIM_RETURN_IF_ERROR(Join(each));
    return entry->is_update ? CheckUpdate(each) : WriteResults(*entry, each);
  }

  absl::Status CheckTypes(const OpEntry& entry,
                          const ProgramProto::Instruction& each) {
    if (each.rounded_operands() && !entry.is_product())
      return BadRun("it rounds its operands and is no product");
    OpAttributes attributes = constants_.Attributes(each.attributes());
    attributes.rule = each.rule();
    std::vector<ValueType> operands;
    for (const std::int32_t id : each.operands()) {
      ValueType type = TypeOf(id);
      if (each.rounded_operands() && type.dtype == DType::kBFloat16)
        type.dtype = DType::kFloat32;
      operands.push_back(std::move(type));
    }
    const absl::StatusOr<std::vector<ValueType>> types =
        InferTypes(CodeOf(entry), operands, attributes);
    PODSIM_RETURN_IF_ERROR(types.status());
    const OpSignature use = {operands, *types, attributes};
    if (static_cast<int>(types->size()) != each.results_size())
      return BadRun(absl::StrCat("it has ", each.results_size(),
                                 " results, the op ", types->size()));
    for (int i = 0; i < each.results_size(); ++i) {
      const ValueType stated = TypeOf(each.results(i));
      const ValueType& made = (*types)[static_cast<std::size_t>(i)];
      if (stated.dtype != made.dtype || stated.shape != made.shape)
        return BadRun(absl::StrCat("result ", i, " is ", ToString(made),
                                   ", the Program says ", ToString(stated)));
      if (stated.per_core != made.per_core &&
          !(made.per_core && SumsStackedRows(entry, use)))
        return BadRun(absl::StrCat(
            "result ", i, " is ",
            made.per_core ? "each core's own" : "the same on all cores",
            ", the Program says otherwise"));
    }
    return CheckRows(entry, each, use);
  }

  // How it runs: a few examples at a time, core by core, or as a whole.
  absl::Status CheckRows(const OpEntry& entry,
                         const ProgramProto::Instruction& each,
                         const OpSignature& use) {
    bool batched = true;
    bool differs = false;
    bool reads_batch = false;
    for (const std::int32_t id : each.results()) {
      const ValueType type = TypeOf(id);
      batched = batched && type.batched();
      differs = differs || type.batched() || type.per_core;
    }
    for (const std::int32_t id : each.operands())
      reads_batch = reads_batch || TypeOf(id).batched();
    const bool by_rows = IsRowWise(entry, use);
    if (each.has_row_group() && !(by_rows && batched && each.row_group() >= 0))
      return BadRun("it cannot run a few examples at a time");
    const bool core_by_core = differs && !by_rows && !entry.joins_cores;
    if (!entry.is_update && each.per_core() != core_by_core)
      return BadRun(each.per_core() ? "it need not run core by core"
                                    : "it must run core by core");
    mixes_ = mixes_ || (each.per_core() && reads_batch);
    return absl::OkStatus();
  }

  // In place: the results are the operands behind the gradient, or all of them.
  absl::Status CheckUpdate(const ProgramProto::Instruction& each) {
    const int skipped = each.operands_size() - each.results_size();
    if (skipped < 0 || !std::equal(each.results().begin(), each.results().end(),
                                   each.operands().begin() + skipped))
      return BadRun("its results are not its operands");
    for (int i = 0; i < each.operands_size(); ++i) {
      const auto storage = program_.tensors(each.operands(i)).storage();
      const auto wanted = i < skipped || skipped == 0 ? ProgramProto::GRADIENT
                                                      : ProgramProto::VARIABLE;
      if (storage != wanted)
        return BadRun(absl::StrCat("operand ", i,
                                   " is not of the storage that an update "
                                   "reads and writes"));
    }
    return absl::OkStatus();
  }

  absl::Status WriteResults(const OpEntry& entry,
                            const ProgramProto::Instruction& each) {
    for (int i = 0; i < each.results_size(); ++i) {
      const std::int32_t id = each.results(i);
      const auto storage = program_.tensors(id).storage();
      if (storage == ProgramProto::VARIABLE || storage == ProgramProto::INPUT)
        return BadRun(absl::StrCat("it writes ", program_.tensors(id).name(),
                                   ", a variable or an input"));
      const std::int32_t replaced =
          i == 0 && entry.works_in_place && !each.operands().empty()
              ? RootOf(each.operands(0))
              : -1;
      if (const std::int32_t lost = Overwritten(id, replaced); lost >= 0)
        return BadRun(absl::StrCat("it writes ", program_.tensors(id).name(),
                                   " over ", program_.tensors(lost).name(),
                                   ", which is still being read or written"));
      Write(id);
      touched_[static_cast<std::size_t>(id)] = group_;
    }
    return absl::OkStatus();
  }

  // A tensor of this moment that writing `id` would destroy; -1: none. The one
  // whose place it takes as a whole, `replaced`, may go.
  std::int32_t Overwritten(std::int32_t id, std::int32_t replaced) {
    const auto [begin, end] = Place(id);
    const Arena& arena = ArenaOf(id);
    for (auto it = FirstIn(arena, begin); it != arena.end() && it->first < end;
         ++it) {
      const std::int32_t other = it->second.tensor;
      const bool taken_over = other == replaced && Place(other) == Place(id);
      if (touched_[static_cast<std::size_t>(other)] == group_ && !taken_over)
        return other;
    }
    return -1;
  }

  void Write(std::int32_t id) {
    const auto [begin, end] = Place(id);
    Arena& arena = ArenaOf(id);
    for (auto it = FirstIn(arena, begin);
         it != arena.end() && it->first < end;) {
      defined_[static_cast<std::size_t>(it->second.tensor)] = false;
      it = arena.erase(it);
    }
    if (program_.tensors(id).storage() != ProgramProto::INPUT)
      arena[begin] = {end, id};
    defined_[static_cast<std::size_t>(id)] = true;
  }

  std::pair<std::int64_t, std::int64_t> Place(std::int32_t id) const {
    const ProgramProto::Tensor& tensor = program_.tensors(id);
    return {tensor.offset(), tensor.offset() + PlacesOf(tensor)};
  }

  Arena& ArenaOf(std::int32_t id) {
    return arenas_[static_cast<std::size_t>(program_.tensors(id).storage())];
  }

  bool Exists(std::int32_t id) const {
    return id >= 0 && id < program_.tensors_size();
  }
  bool Defined(std::int32_t id) const {
    return defined_[static_cast<std::size_t>(RootOf(id))];
  }
  std::int32_t RootOf(std::int32_t id) const {
    const ProgramProto::Tensor& tensor = program_.tensors(id);
    return tensor.has_view_of() ? tensor.view_of() : id;
  }
  ValueType TypeOf(std::int32_t id) const {
    const ProgramProto::Tensor& tensor = program_.tensors(id);
    ValueType type = TypeFrom(tensor.type());
    type.per_core = tensor.storage() == ProgramProto::PER_CORE;
    return type;
  }

  absl::Status CheckEnd(const ProgramProto::Entry& entry, bool reduces) const {
    PODSIM_RETURN_IF_ERROR(CheckJoined());
    const std::string name =
        absl::AsciiStrToLower(ProgramProto::EntryPoint_Name(point_));
    if (reduces && static_cast<int>(reduced_.size()) != program_.buckets_size())
      return BadRun(absl::StrCat(name, " reduces ", reduced_.size(), " of ",
                                 program_.buckets_size(), " buckets"));
    const int updates =
        program_.buckets_size() + (program_.update_needs_all() ? 1 : 0);
    if (point_ == ProgramProto::UPDATE && entry.segments_size() != updates)
      return BadRun(absl::StrCat("update has ", entry.segments_size(),
                                 " segments, not one per bucket"));
    if (point_ != ProgramProto::TRAIN && point_ != ProgramProto::EVAL)
      return absl::OkStatus();
    for (const ProgramProto::Metric& metric : program_.metrics())
      if (metric.passes() != (point_ == ProgramProto::TRAIN
                                  ? MetricSum::EVALUATION_ALONE
                                  : MetricSum::TRAINING_ALONE) &&
          !Defined(metric.tensor()))
        return BadRun(absl::StrCat(name, " leaves no metric ", metric.name()));
    return absl::OkStatus();
  }

  const ProgramProto& program_;
  ConstantReader& constants_;
  const ProgramProto::EntryPoint point_;
  std::array<Arena, ProgramProto::Storage_ARRAYSIZE> arenas_;
  std::vector<bool> defined_;
  // By tensor: the group of instructions that last read or wrote it.
  std::vector<std::int32_t> touched_;
  std::int32_t group_ = 0;
  std::vector<std::int32_t> reduced_;  // buckets, in order
  std::set<std::int32_t> is_reduced_;
  // What an all_reduce has just made for a host; -1: nothing that waits.
  std::int32_t joined_ = -1;
  std::int32_t group_size_ = 0;
  int reduce_ = ProgramProto::Segment::SUM;
  bool mixes_ = false;
};

absl::Status CheckMixing(const ProgramProto& program, int point, bool mixes) {
  const bool trains = point == ProgramProto::TRAIN;
  if ((trains && mixes != program.mixes_in_training()) ||
      (point == ProgramProto::EVAL && mixes != program.mixes_in_eval()))
    return BadRun(absl::StrCat(
        trains ? "training" : "evaluation", mixes ? " mixes" : " does not mix",
        " a core's examples, the Program says otherwise"));
  return absl::OkStatus();
}

// Hosts start all-reduces as a pass completes its buckets, or all of them
// behind it in the order of the entry point reduce: one order for all.
absl::Status CheckTravelOrder(const std::vector<std::int32_t>& train,
                              const std::vector<std::int32_t>& reduce) {
  for (std::size_t i = 0; i < std::min(train.size(), reduce.size()); ++i)
    if (train[i] != reduce[i])
      return BadRun(absl::StrCat("reduce has bucket ", reduce[i],
                                 " as all-reduce ", i, ", train has bucket ",
                                 train[i], ": their order must be the same"));
  return absl::OkStatus();
}

}  // namespace

std::int64_t PlacesOf(const ProgramProto::Tensor& tensor) {
  const ValueType type = TypeFrom(tensor.type());
  return ProgramTensor{.dtype = type.dtype,
                       .storage = tensor.storage() == ProgramProto::INPUT
                                      ? Storage::kInput
                                      : Storage::kBatched,
                       .shape = type.shape}
      .places();
}

absl::Status VerifyRuns(const ModelProto& model, ConstantReader& constants) {
  for (int i = 0; i < model.program().variables_size(); ++i) {
    const ProgramProto::Variable& each = model.program().variables(i);
    const ProgramProto::Tensor& tensor = model.program().tensors(each.tensor());
    PODSIM_RETURN_IF_ERROR(Annotate(
        constants.CheckInitial(
            each.has_initial(), each.initial(),
            each.initializer() != ProgramProto::ZEROS || each.is_slot(),
            ShapeFrom(tensor.type().shape())),
        absl::StrCat("variable ", i)));
  }
  int before = -1;
  std::vector<std::int32_t> trained;
  for (const ProgramProto::Entry& entry : model.program().entries()) {
    const int point = entry.entry();
    if (!ProgramProto::EntryPoint_IsValid(point) || point <= before)
      return BadRun(
          absl::StrCat("entry point ", point,
                       " is unknown, or not in the order of numbers"));
    before = point;
    EntryRun run(model.program(), constants, entry.entry());
    PODSIM_RETURN_IF_ERROR(run.Run(entry));
    PODSIM_RETURN_IF_ERROR(CheckMixing(model.program(), point, run.mixes()));
    if (point == ProgramProto::TRAIN) trained = run.reduced();
    if (point == ProgramProto::REDUCE)
      PODSIM_RETURN_IF_ERROR(CheckTravelOrder(trained, run.reduced()));
  }
  const int wanted = model.program().has_loss() ? 5 : 2;
  if (model.program().entries_size() != wanted)
    return BadRun(absl::StrCat("it has ", model.program().entries_size(),
                               " entry points, not ", wanted));
  return constants.CheckAllRead();
}

}  // namespace podsim
