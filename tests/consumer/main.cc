// A program outside the project: defines a model of its own (a network with a
// shortcut, two inputs and a metric of its own), writes it as a file for
// pod_launch, and trains it on a v3-8 pod in this process.
//
//   consumer [FILE]
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "base/status.h"
#include "host/input/dataset.h"
#include "host/process/in_process_pod.h"
#include "host/storage/storage.h"
#include "job/metrics.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
#include "models/graph/serialize_model.h"
#include "models/layers/dense.h"
#include "models/layers/embedding.h"
#include "models/zoo/zoo.h"
#include "runtime/job/planner.h"

namespace {

using namespace podsim;  // a short program may

absl::StatusOr<ModelProto> ShortcutNet(const DatasetConfig& data) {
  Graph g("shortcut");
  Shape shape;
  for (const int dim : data.example_shape()) shape.dims.push_back(dim);
  const Value x = Flatten(g, g.Features(shape));
  const Value tokens = g.Input("tokens", DType::kInt32, {{shape.elements()}});
  const Value levels = Flatten(g, Embedding(g, "levels", tokens, 17, 2));
  const Value wide = g.Add(Dense(g, "wide", x, 64, Activation::kRelu),
                           Dense(g, "seen", levels, 64, Activation::kRelu));
  const Value deep = Dense(g, "deep", wide, 64, Activation::kRelu);
  const Value joined = g.Add(wide, deep);
  const Value logits =
      Dense(g, "logits", joined, data.classes(), Activation::kNone);
  const auto out = g.SoftmaxXent(logits, g.Labels());
  return ToProto(g, {.loss = out.loss,
                     .weights = g.ExampleWeights(),
                     .correct = out.correct,
                     .metrics = {{.name = "worst_loss",
                                  .value = out.loss,
                                  .combine = MetricCombine::kMax}}});
}

absl::Status WriteFile(const ModelProto& model, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << ModelBytes(model);
  file.close();
  return file ? absl::OkStatus() : absl::UnknownError("cannot write " + path);
}

absl::Status Train(const std::string& path) {
  const auto store = NewLocalStore();
  PODSIM_ASSIGN_OR_RETURN(auto dataset,
                          OpenDataset({.name = "digits"}, *store));
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model,
                          ShortcutNet(dataset->config()));
  if (!path.empty()) PODSIM_RETURN_IF_ERROR(WriteFile(model, path));
  PODSIM_ASSIGN_OR_RETURN(
      const Program program,
      CompileModel(model, {.rule_settings = {.momentum = 0.9}}));
  PODSIM_ASSIGN_OR_RETURN(const std::string isa, BestIsa());

  JobSpec spec;
  spec.set_topology("v3-8");
  spec.set_dataset("digits");
  spec.set_batch_per_core(8);
  spec.set_train_steps(300);
  spec.set_learning_rate(0.05);
  spec.set_momentum(0.9);
  PODSIM_ASSIGN_OR_RETURN(
      JobPlan plan,
      PlanJob(spec, program, {.dataset = dataset->config(), .isa = isa}));

  PodSetup setup = {.plan = plan,
                    .program = std::make_shared<const Program>(program),
                    .dataset = dataset};
  PODSIM_ASSIGN_OR_RETURN(setup.kernels, LoadKernels(isa));
  PODSIM_ASSIGN_OR_RETURN(const PodResult result, TrainInProcess(setup));
  const EvalReport& eval = result.evaluations.back();
  const double accuracy = MetricValue(eval.metrics(), "accuracy");
  std::printf("%s: %lld of %lld held-out examples right, weights %s\n",
              program.name.c_str(),
              static_cast<long long>(CorrectExamples(eval.metrics())),
              static_cast<long long>(eval.examples()),
              result.weights_hash.c_str());
  if (accuracy < 0.93)
    return absl::InternalError("a model that learns gets more of them right");
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const absl::Status status = Train(argc > 1 ? argv[1] : "");
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
