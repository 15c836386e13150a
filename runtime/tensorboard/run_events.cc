#include "runtime/tensorboard/run_events.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "job/hbm.h"
#include "proto/third_party/tensorboard/hparams.pb.h"
#include "runtime/tensorboard/scalars.h"

namespace podsim {
namespace {

using Hparams = google::protobuf::Map<std::string, google::protobuf::Value>;

// Events of this version are dropped at a restart, not by their order.
constexpr char kFileVersion[] = "brain.Event:2";
constexpr char kWriter[] = "podsim";
// tensorboard/plugins/hparams/metadata.py.
constexpr char kHparamsPlugin[] = "hparams";
constexpr char kSessionStart[] = "_hparams_/session_start_info";
constexpr char kSessionEnd[] = "_hparams_/session_end_info";
// tensorboard/plugins/text/metadata.py.
constexpr char kTextPlugin[] = "text";
constexpr char kPlanTag[] = "plan";

tensorboard::Summary::Value& AddPluginValue(const char* tag, const char* plugin,
                                            const std::string& content,
                                            tensorboard::Event& event) {
  tensorboard::Summary::Value& value = *event.mutable_summary()->add_value();
  value.set_tag(tag);
  tensorboard::SummaryMetadata& metadata = *value.mutable_metadata();
  metadata.mutable_plugin_data()->set_plugin_name(plugin);
  metadata.mutable_plugin_data()->set_content(content);
  metadata.set_data_class(tensorboard::DATA_CLASS_TENSOR);
  return value;
}

// All is in the metadata; the tensor has no numbers.
void AddHparamsData(const char* tag,
                    const tensorboard::hparams::HParamsPluginData& data,
                    tensorboard::Event& event) {
  tensorboard::TensorProto& tensor =
      *AddPluginValue(tag, kHparamsPlugin, data.SerializeAsString(), event)
           .mutable_tensor();
  tensor.set_dtype(tensorboard::DT_FLOAT);
  tensor.mutable_tensor_shape()->add_dim()->set_size(0);
}

void SetNumber(const char* name, double number, Hparams& hparams) {
  hparams[name].set_number_value(number);
}

void SetText(const char* name, const std::string& text, Hparams& hparams) {
  if (!text.empty()) hparams[name].set_string_value(text);
}

void FillHparams(const JobPlan& plan, Hparams& hparams) {
  const PlanBits& bits = plan.bits();
  SetText("topology", bits.slice(), hparams);
  SetText("model", bits.model().name(), hparams);
  SetText("dataset", bits.dataset().name(), hparams);
  SetText("optimizer", bits.optimizer(), hparams);
  SetText("precision", bits.precision(), hparams);
  SetText("wire_dtype", bits.wire_dtype(), hparams);
  SetText("algo", bits.algorithm(), hparams);
  SetText("lr_schedule", bits.learning_rate().schedule(), hparams);
  SetNumber("train_batch_size", static_cast<double>(plan.global_batch()),
            hparams);
  SetNumber("batch_per_core", static_cast<double>(bits.batch_per_core()),
            hparams);
  SetNumber("train_steps", static_cast<double>(plan.train_steps()), hparams);
  SetNumber("learning_rate", bits.learning_rate().peak(), hparams);
  SetNumber("warmup_examples",
            static_cast<double>(bits.learning_rate().warmup_examples()),
            hparams);
  SetNumber("momentum", bits.momentum(), hparams);
  SetNumber("weight_decay", bits.update().weight_decay(), hparams);
  SetNumber("seed", static_cast<double>(bits.seed()), hparams);
}

}  // namespace

tensorboard::Event HeaderEvent(double time) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_file_version(kFileVersion);
  event.mutable_source_metadata()->set_writer(kWriter);
  return event;
}

std::int64_t FirstStep(const StartPoint& start) {
  return start.step() == 0 ? 0 : start.step() + 1;
}

tensorboard::Event BeginEvent(std::int64_t step, double time) {
  tensorboard::Event event = EventAt(step, time);
  event.mutable_session_log()->set_status(tensorboard::SessionLog::START);
  return event;
}

void AddPlanText(const std::string& text, tensorboard::Event& event) {
  tensorboard::TensorProto& tensor =
      *AddPluginValue(kPlanTag, kTextPlugin, "", event).mutable_tensor();
  tensor.set_dtype(tensorboard::DT_STRING);
  tensor.mutable_tensor_shape();  // one text, of rank 0
  tensor.add_string_val(absl::StrCat(
      "```\n", text, absl::EndsWith(text, "\n") ? "" : "\n", "```\n"));
}

void AddHparams(const JobPlan& plan, double time, tensorboard::Event& event) {
  tensorboard::hparams::HParamsPluginData data;
  tensorboard::hparams::SessionStartInfo& start =
      *data.mutable_session_start_info();
  FillHparams(plan, *start.mutable_hparams());
  start.set_group_name(plan.hash());
  start.set_start_time_secs(time);
  AddHparamsData(kSessionStart, data, event);
}

void AddSessionEnd(double time, tensorboard::Event& event) {
  tensorboard::hparams::HParamsPluginData data;
  data.mutable_session_end_info()->set_status(
      tensorboard::hparams::STATUS_SUCCESS);
  data.mutable_session_end_info()->set_end_time_secs(time);
  AddHparamsData(kSessionEnd, data, event);
}

void AddMemory(const CoreMemory& memory, tensorboard::Event& event) {
  AddScalar("memory/hbm_bytes_per_core", static_cast<double>(HbmBytes(memory)),
            event);
  AddScalar("memory/hbm_bytes_available", static_cast<double>(memory.hbm()),
            event);
}

void AddGoodput(const Goodput& goodput, tensorboard::Event& event) {
  AddScalar("goodput/fraction", goodput.fraction(), event);
  AddScalar("goodput/PRODUCTIVE", goodput.productive, event);
  for (int i = 0; i < kLossCategories; ++i) {
    const auto category = static_cast<LostTo>(i);
    if (goodput[category] > 0)
      AddScalar(absl::StrCat("goodput/", NameOf(category)), goodput[category],
                event);
  }
}

}  // namespace podsim
