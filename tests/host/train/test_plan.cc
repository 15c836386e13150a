#include "tests/host/train/test_plan.h"

#include "base/status.h"
#include "host/storage/storage.h"
#include "models/graph/exchanges.h"
#include "models/kernels/kernels.h"
#include "models/rules/update_rules.h"
#include "models/zoo/zoo.h"

namespace podsim::testing {
namespace {

template <typename T>
T Get(absl::StatusOr<T> result) {
  PODSIM_CHECK(result.ok());
  return *std::move(result);
}

}  // namespace

PodSetup MakeSetup(const PlanShape& shape) {
  PodSetup setup;
  const auto store = NewMemoryStore();
  setup.dataset = Get(OpenDataset({.name = shape.dataset,
                                   .example_shape = {8, 8},
                                   .classes = 10,
                                   .examples = 600,
                                   .seed = shape.seed},
                                  *store));
  const std::string isa = Get(BestIsa());
  setup.kernels = Get(LoadKernels(isa));

  JobPlan& plan = setup.plan;
  PlanBits& bits = *plan.mutable_bits();
  bits.set_hosts(shape.hosts);
  bits.set_cores_per_host(shape.cores_per_host);
  for (int host = 0; host < shape.hosts; ++host) bits.add_ring(host);
  *bits.mutable_dataset() = setup.dataset->config();
  bits.mutable_model()->set_name(shape.model);
  bits.mutable_model()->set_dropout(shape.dropout);
  bits.mutable_model()->set_batch_norm_group(shape.batch_norm_group);
  for (const int width : shape.hidden) bits.mutable_model()->add_hidden(width);
  *bits.mutable_model()->mutable_example_shape() =
      bits.dataset().example_shape();
  bits.mutable_model()->set_classes(bits.dataset().classes());
  bits.set_batch_per_core(shape.batch_per_core);
  bits.set_seed(shape.seed);
  bits.set_precision(shape.precision);
  CompileOptions options = {.bfloat16_products = shape.precision == "bfloat16",
                            .rule = shape.rule,
                            .rule_settings = {.momentum = shape.momentum},
                            .clip_norm = shape.clip_norm,
                            .bucket_bytes = shape.bucket_bytes};
  if (shape.rule != "sgd")
    options.rule_settings = FindUpdateRule(shape.rule)->info.defaults;
  bits.set_momentum(options.rule_settings.momentum);
  bits.mutable_learning_rate()->set_peak(shape.learning_rate);
  bits.set_bucket_bytes(shape.bucket_bytes);
  plan.set_chunk_elements(shape.chunk_elements);
  bits.set_isa(isa);
  bits.set_panel_rows(64);
  bits.set_panel_columns(kColumnCut);
  bits.set_k_block(16);

  setup.program = std::make_shared<const Program>(Get(
      shape.own_model == nullptr ? BuildProgram(bits.model(), options)
                                 : CompileModel(*shape.own_model, options)));
  for (const GradientBucket& bucket : setup.program->buckets) {
    Bucket& planned = *bits.add_buckets();
    planned.set_algorithm("ring");
    planned.set_begin(bucket.begin);
    planned.set_count(bucket.count);
  }
  for (const Segment* from : ExchangesOf(*setup.program)) {
    Exchange& planned = *bits.add_exchanges();
    planned.set_algorithm("ring");
    planned.set_group(
        HostsOfGroup(from->group, shape.hosts, shape.cores_per_host));
    planned.set_count(setup.program->tensor(from->tensor).shape.elements());
    planned.set_name(setup.program->tensor(from->tensor).name);
    planned.set_reduce(NameOf(from->reduce));
  }
  bits.set_host_rows(1);
  bits.set_host_columns(shape.hosts);
  plan.set_global_batch(std::int64_t{shape.hosts} * shape.cores_per_host *
                        shape.batch_per_core);
  plan.set_train_steps(shape.steps);
  plan.set_eval_batch_per_core(shape.batch_per_core);
  plan.mutable_spec()->set_processes(shape.processes);
  for (int process = 0; process < shape.processes; ++process)
    plan.add_first_host(process * shape.hosts / shape.processes);
  plan.mutable_spec()->set_stall_timeout(20);
  return setup;
}

}  // namespace podsim::testing
