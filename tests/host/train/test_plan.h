// Plans made by hand, for pods in one process: the planner is not under test.
#ifndef PODSIM_TESTS_HOST_TRAIN_TEST_PLAN_H_
#define PODSIM_TESTS_HOST_TRAIN_TEST_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "host/process/in_process_pod.h"
#include "models/graph/program.h"
#include "proto/model.pb.h"

namespace podsim::testing {

struct PlanShape {
  int hosts = 4;
  int cores_per_host = 8;
  int batch_per_core = 4;
  int processes = 4;
  int steps = 3;
  std::string precision = "float32";
  std::string model = "mlp";
  std::vector<int> hidden = {32};
  double dropout = 0;
  int batch_norm_group = 1;
  std::string dataset = "digits";
  std::uint64_t seed = 1;
  double learning_rate = 0.05;
  double momentum = 0.9;
  std::string rule = "sgd";  // others have their defaults
  double clip_norm = 0;
  std::int64_t bucket_bytes = 4096;
  std::int64_t chunk_elements = 256;
  // Instead of a named one.
  std::shared_ptr<const ModelProto> own_model = nullptr;
};

// A setup that is ready to run: plan, program, data set, kernels of the best
// level of this CPU.
PodSetup MakeSetup(const PlanShape& shape);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_TRAIN_TEST_PLAN_H_
