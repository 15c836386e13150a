// The loop over steps, evaluations and checkpoints.
#include "host/train/trainer.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/input/fields.h"
#include "host/input/input_memory.h"
#include "host/train/trainer_impl.h"
#include "models/graph/exchanges.h"

namespace podsim {
namespace {

// The planner's rule, against plans of other builds.
absl::Status CheckMicrobatches(const PlanBits& bits) {
  const std::int64_t rows = bits.cores_per_host() * bits.batch_per_core();
  const std::int64_t size = bits.microbatch_size();
  if (size == 0) return absl::OkStatus();
  if (size > 0 && rows % size == 0 &&
      std::has_single_bit(static_cast<std::uint64_t>(rows / size)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the plan has microbatches of ", size, " rows, a host has ",
                   rows, ": no power of two of them"));
}

// A mean over a core's examples must see all of them.
absl::Status CheckMixing(const Program& program, const PlanBits& bits) {
  if (!program.mixes_in_training || bits.microbatch_size() == 0 ||
      bits.microbatch_size() >= bits.batch_per_core())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("model ", program.name, " mixes the ", bits.batch_per_core(),
                   " examples of a core, but --reduction=tree computes ",
                   bits.microbatch_size(),
                   " at a time: use --reduction=fused, or "
                   "--microbatch_size=",
                   bits.batch_per_core()));
}

// The planner's too.
absl::Status CheckExchanges(const Program& program, const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  PODSIM_RETURN_IF_ERROR(
      CheckGroups(program, bits.hosts(), bits.cores_per_host()));
  const std::vector<const Segment*> exchanges = ExchangesOf(program);
  bool same = static_cast<int>(exchanges.size()) == bits.exchanges_size();
  for (int i = 0; same && i < bits.exchanges_size(); ++i)
    same = program.tensor(exchanges[i]->tensor).shape.elements() ==
               bits.exchanges(i).count() &&
           NameOf(exchanges[i]->reduce) == bits.exchanges(i).reduce() &&
           HostsOfGroup(exchanges[i]->group, bits.hosts(),
                        bits.cores_per_host()) == bits.exchanges(i).group();
  if (same) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the plan's all-reduces in the middle of a pass are not the compiled "
      "model's: "
      "another build made the plan");
}

}  // namespace

void Trainer::Impl::Allocate() {
  const std::int64_t rows = std::max(
      rows_at_once, bits.cores_per_host() * setup.plan.eval_batch_per_core());
  variables.resize(program.variable_elements);
  gradients.resize(hosts.size() +
                   (setup.plan.spec().audit_every() > 0 ? 1 : 0));
  gradient_hash.resize(gradients.size());
  for (auto& of_host : gradients) of_host.resize(program.gradient_elements);
  const std::int64_t passes = PassesPerStep();
  arenas.resize(exchanges.empty() ? 1 : hosts.size() * passes);
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    Arena& arena = arenas[i];
    // Evaluations run in the first.
    const std::int64_t most = i == 0 ? rows : rows_at_once;
    arena.batched.resize(program.batched_elements_per_row * most);
    arena.per_core.resize(program.per_core_elements * bits.cores_per_host());
    arena.scratch.resize(program.scratch_elements);
    arena.outputs.resize(program.output_elements_per_row * most);
    if (!exchanges.empty() &&
        static_cast<std::int64_t>(i) % passes + 1 < passes)
      arena.gradients.resize(program.gradient_elements);
  }
}

CoreBuffers Trainer::Impl::BuffersFor(const Batch& batch,
                                      std::int64_t first_row, std::int64_t rows,
                                      std::int64_t rows_of_core, Arena& arena) {
  CoreBuffers buffers = {
      .variables = variables,
      .packed = &packed,
      .fusions = &fusions,
      .workspace = &workspace,
      .gradients = {},
      .batched = arena.batched,
      .per_core = arena.per_core,
      .scratch = arena.scratch,
      .outputs = arena.outputs,
      .times = &times,
      .rows_of_core = rows_of_core,
  };
  const auto bytes_of = [&](int field) {
    if (field == kStepKey) {
      arena.step_keys.clear();
      for (std::int64_t row = 0; row < rows; ++row)
        arena.step_keys.insert(arena.step_keys.end(), batch.step_key.begin(),
                               batch.step_key.end());
      return std::as_bytes(std::span(arena.step_keys));
    }
    if (field == kExampleWeight)
      return std::as_bytes(std::span(batch.weights).subspan(first_row, rows));
    if (field == kExampleKey)
      return std::as_bytes(
          std::span(batch.keys).subspan(2 * first_row, 2 * rows));
    return batch.Rows(field, first_row, rows);
  };
  for (std::size_t i = 0; i < input_fields.size(); ++i)
    buffers.inputs.push_back(
        {.dtype = program.tensor(program.inputs[i].tensor).dtype,
         .bytes = bytes_of(input_fields[i])});
  return buffers;
}

std::span<float> Trainer::Impl::Output(TensorId id, std::int64_t rows,
                                       Arena& arena) {
  return std::span(arena.outputs)
      .subspan(program.tensor(id).offset * rows, rows);
}

absl::Status Trainer::Impl::CheckAbort() const {
  if (!aborted.load(std::memory_order_acquire)) return absl::OkStatus();
  MutexLock lock(mutex);
  return abort_status;
}

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trainer::~Trainer() = default;

absl::StatusOr<std::unique_ptr<Trainer>> Trainer::Create(TrainerSetup setup) {
  const Program& program = *setup.program;
  const PlanBits& bits = setup.plan.bits();
  PODSIM_RETURN_IF_ERROR(CheckMicrobatches(bits));
  PODSIM_RETURN_IF_ERROR(CheckMixing(program, bits));
  PODSIM_RETURN_IF_ERROR(CheckExchanges(program, setup.plan));
  if (static_cast<int>(program.buckets.size()) != bits.buckets_size())
    return absl::InvalidArgumentError(
        absl::StrCat("the plan has ", bits.buckets_size(),
                     " gradient buckets, the compiled model has ",
                     program.buckets.size(), ": another build made the plan"));
  for (int bucket = 0; bucket < bits.buckets_size(); ++bucket)
    if (program.buckets[bucket].begin != bits.buckets(bucket).begin() ||
        program.buckets[bucket].count != bits.buckets(bucket).count())
      return absl::InvalidArgumentError(absl::StrCat(
          "gradient bucket ", bucket,
          " differs from the plan's: another build made the plan"));
  const std::size_t given = setup.start.variables.size();
  if (given != 0 &&
      given != static_cast<std::size_t>(program.variable_elements))
    return absl::InvalidArgumentError(absl::StrCat("the start has ", given,
                                                   " values, the model has ",
                                                   program.variable_elements));
  if (setup.last_step == 0) setup.last_step = setup.plan.train_steps();
  PODSIM_ASSIGN_OR_RETURN(std::vector<int> input_fields,
                          InputFields(program, setup.dataset->config()));
  auto impl = std::make_unique<Impl>(std::move(setup));
  impl->input_fields = std::move(input_fields);
  impl->Allocate();
  if (given != 0)
    impl->variables = impl->setup.start.variables;
  else
    InitVariables(impl->program, impl->bits.seed(), impl->variables);
  impl->packed.Pack(impl->program, impl->variables, impl->panels.columns,
                    impl->parallel);
  return std::unique_ptr<Trainer>(new Trainer(std::move(impl)));
}

BatchPlace Trainer::Impl::FirstPlace() const {
  return {
      .consumed = setup.start.examples_consumed,
      .batch_per_core = bits.batch_per_core(),
      .first_core = std::int64_t{hosts.front()} * bits.cores_per_host(),
      .cores = static_cast<std::int64_t>(hosts.size()) * bits.cores_per_host(),
      .global_batch = setup.plan.global_batch(),
      .in_order = bits.in_order(),
      .host_cores = bits.cores_per_host()};
}

InfeedOptions Trainer::Impl::InputOptions() const {
  const JobSpec& spec = setup.plan.spec();
  const BatchPlace place = FirstPlace();
  const InputMemory memory = DivideInputMemory(
      spec.input_memory(),
      BatchBytes(setup.dataset->config(), place.cores * place.batch_per_core));
  return {.threads = spec.has_input_threads() ? spec.input_threads()
                                              : std::max(1, setup.threads),
          .batches = std::max<std::int64_t>(1, memory.batches),
          .on_progress = [this] { setup.progress->Count(1); }};
}

StepGate::Next Trainer::Impl::After(std::int64_t step) const {
  StepGate::Next next;
  if (setup.gate != nullptr) next = setup.gate->After(step);
  next.end = next.end || step >= last_step;
  return next;
}

// What comes between a step and the next: an evaluation, a checkpoint.
absl::Status Trainer::Impl::Finish(std::int64_t step,
                                   const StepGate::Next& next) {
  const JobPlan& plan = setup.plan;
  const auto due = [step](std::int64_t every) {
    return every > 0 && step % every == 0;
  };
  if (step == last_step || due(plan.spec().steps_per_eval()))
    PODSIM_RETURN_IF_ERROR(Evaluate(step));
  if (setup.saver == nullptr) return absl::OkStatus();
  if (next.save || next.end || due(plan.spec().checkpoint_every())) {
    setup.progress->Enter(step, "checkpoint");
    PODSIM_RETURN_IF_ERROR(StrikeAt(step, "checkpoint"));
    const TracedSpan traced = Traced(SpanKind::kCheckpoint);
    PODSIM_RETURN_IF_ERROR(setup.saver->Save(step, variables, next.end));
  }
  return setup.saver->status();
}

absl::Status Trainer::Impl::NextStep(std::int64_t step, Infeed& infeed) {
  PODSIM_RETURN_IF_ERROR(CheckAbort());
  setup.progress->Enter(step, "input");
  Enter(StepPhase::kInput);
  absl::StatusOr<const Batch*> batch;
  {
    const TracedSpan traced = Traced(SpanKind::kInput);
    PODSIM_RETURN_IF_ERROR(StrikeAt(step, "input"));
    batch = infeed.Next();
  }
  PODSIM_RETURN_IF_ERROR(Annotate(batch.status(), "input"));
  reports.assign(hosts.size(), StepReport());
  input_times = infeed.times();
  input_threads = infeed.threads();
  return TrainStep(step, **batch);
}

// With what comes between it and the next.
absl::Status Trainer::Impl::TracedStep(std::int64_t step, Infeed& infeed,
                                       StepGate::Next& next) {
  if (setup.tracer != nullptr) setup.tracer->EnterStep(step);
  TracedSpan traced = Traced(SpanKind::kStep);
  if (traced.on()) traced->name = absl::StrCat("step ", step);
  PODSIM_RETURN_IF_ERROR(NextStep(step, infeed));
  next = After(step);
  return Finish(step, next);
}

absl::Status Trainer::Impl::Train() {
  std::int64_t step = setup.start.step;
  Infeed infeed(setup.dataset, bits.seed(), FirstPlace(),
                std::max<std::int64_t>(0, last_step - step), InputOptions());
  StepGate::Next next = After(step);
  // Trained to the end before: what is left is to say how good it is.
  if (step >= last_step) PODSIM_RETURN_IF_ERROR(Evaluate(step));
  step_times = StepTimes(setup.clock->Now());
  while (!next.end) PODSIM_RETURN_IF_ERROR(TracedStep(++step, infeed, next));
  if (setup.tracer != nullptr) setup.tracer->EnterStep(0);
  if (setup.saver != nullptr) {
    setup.progress->Enter(step, "writing the checkpoint");
    PODSIM_RETURN_IF_ERROR(setup.saver->Wait());
  }
  setup.progress->Enter(step, "finished");
  return absl::OkStatus();
}

absl::Status Trainer::Run() {
  if (impl_->setup.plan.spec().mode() == words::Mode::eval)
    return impl_->Evaluate(impl_->setup.start.step);
  return impl_->Train();
}

void Trainer::Abort(const absl::Status& why) {
  {
    MutexLock lock(impl_->mutex);
    if (impl_->abort_status.ok()) impl_->abort_status = why;
  }
  impl_->aborted.store(true, std::memory_order_release);
  if (impl_->setup.gate != nullptr) impl_->setup.gate->Open();
  impl_->reducer.Abort(why);
}

Waiting Trainer::waiting() const { return impl_->reducer.waiting(); }

std::span<const float> Trainer::variables() const { return impl_->variables; }

std::string Trainer::WeightsHash() const {
  Sha256 hash;
  for (const ProgramVariable& variable : impl_->program.variables) {
    if (variable.is_slot) continue;
    const ProgramTensor& tensor = impl_->program.tensor(variable.tensor);
    hash.Update(absl::StrCat(tensor.name, " ", ToString(tensor.shape), "\n"));
    hash.Update(std::as_bytes(
        variables().subspan(tensor.offset, tensor.shape.elements())));
  }
  return hash.HexDigest();
}

}  // namespace podsim
