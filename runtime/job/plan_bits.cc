#include "runtime/job/plan_bits.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "host/core/core.h"
#include "models/graph/exchanges.h"
#include "models/kernels/kernels.h"
#include "models/zoo/model_numbers.h"
#include "runtime/job/optimizer.h"
#include "runtime/job/planner.h"
#include "runtime/job/reduction.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Raised when the same plan gives new bits.
constexpr int kNumericsVersion = 5;
constexpr char kByBucket[] = "by bucket";

std::string AlgorithmFor(const ResolvedJob& job, std::int64_t elements,
                         std::span<const ChoiceRow> table) {
  if (SumsAsTree(job.spec)) return kTreeAlgorithm;
  if (job.spec.algo() != words::Algorithm::auto_)
    return WordOf(job.spec.algo());
  const std::int64_t width =
      job.spec.wire_dtype() == words::WireType::bfloat16 ? 2 : 4;
  return std::string(NameOf(ChooseAlgorithm(
      Collective::kAllReduce, elements * width, job.slice.hosts, table)));
}

}  // namespace

absl::StatusOr<std::string> ChooseIsa(const JobSpec& spec,
                                      const std::string& common_isa) {
  const auto& levels = IsaLevels();
  if (std::find(levels.begin(), levels.end(), common_isa) == levels.end())
    return absl::InternalError(
        absl::StrCat("no kernel level is called '", common_isa, "'"));
  if (!spec.has_isa()) return common_isa;
  const std::string& asked = WordOf(spec.isa());
  if (CommonIsa(asked, common_isa) == asked) return asked;
  return absl::InvalidArgumentError(absl::StrCat(
      "isa is ", asked, " but a machine of the pod runs ", common_isa,
      " at most; leave isa out, or give --isa=", common_isa));
}

void FillNumerics(const ResolvedJob& job, const DatasetConfig& dataset,
                  const std::string& isa, PlanBits& bits) {
  bits.set_slice(job.slice.name);
  bits.set_hosts(job.slice.hosts);
  bits.set_cores_per_host(job.slice.replicas_per_host());
  for (const int host : HostRing(job.slice)) bits.add_ring(host);
  *bits.mutable_dataset() = dataset;
  bits.set_batch_per_core(job.batch_per_core);
  bits.set_seed(job.spec.seed());
  bits.set_in_order(job.spec.shuffle() == words::Shuffle::false_);
  bits.set_precision(WordOf(job.spec.precision()));
  bits.set_gradient_dtype("float32");
  FillUpdate(job.spec, bits);
  bits.set_wire_dtype(WordOf(job.spec.wire_dtype()));
  bits.set_host_rows(job.slice.host_grid.y);
  bits.set_host_columns(job.slice.host_grid.x);
  bits.set_isa(isa);
  bits.set_kernel_library(KernelLibraryVersion());
  const Panels panels;
  bits.set_panel_rows(static_cast<std::int32_t>(panels.rows));
  bits.set_panel_columns(static_cast<std::int32_t>(panels.columns));
  bits.set_k_block(static_cast<std::int32_t>(panels.k_block));
  bits.set_bucket_bytes(job.spec.bucket_bytes());
  bits.set_numerics_version(kNumericsVersion);
}

absl::Status FillNumbers(const JobSpec& spec, ModelConfig& model) {
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<ModelNumber> numbers,
      ParseNumbers({spec.model_config().begin(), spec.model_config().end()}));
  for (const ModelNumber& number : numbers) *model.add_numbers() = number;
  return absl::OkStatus();
}

absl::Status FillModelConfig(const JobSpec& spec, const DatasetConfig& dataset,
                             ModelConfig& model) {
  model.set_name(spec.model());
  *model.mutable_hidden() = spec.hidden();
  *model.mutable_example_shape() = dataset.example_shape();
  model.set_classes(dataset.classes());
  model.set_dropout(spec.dropout());
  if (spec.batch_norm_group() > 1)
    model.set_batch_norm_group(spec.batch_norm_group());
  return FillNumbers(spec, model);
}

void FillBuckets(const ResolvedJob& job, const Program& program,
                 std::span<const ChoiceRow> table, PlanBits& bits) {
  for (const GradientBucket& from : program.buckets) {
    Bucket& bucket = *bits.add_buckets();
    bucket.set_begin(from.begin);
    bucket.set_count(from.count);
    for (const TensorId variable : from.variables)
      bucket.add_variables(program.tensor(variable).name);
    bucket.set_algorithm(AlgorithmFor(job, bucket.count(), table));
    const bool same = bits.buckets(0).algorithm() == bucket.algorithm();
    bits.set_algorithm(
        same && bits.algorithm() != kByBucket ? bucket.algorithm() : kByBucket);
  }
}

void FillExchanges(const ResolvedJob& job, const Program& program,
                   std::span<const ChoiceRow> table, PlanBits& bits) {
  for (const Segment* from : ExchangesOf(program)) {
    const ProgramTensor& tensor = program.tensor(from->tensor);
    const std::int32_t hosts =
        HostsOfGroup(from->group, bits.hosts(), bits.cores_per_host());
    Exchange& exchange = *bits.add_exchanges();
    exchange.set_group(hosts);
    exchange.set_count(tensor.shape.elements());
    exchange.set_name(tensor.name);
    exchange.set_reduce(NameOf(from->reduce));
    // Few numbers that all wait for, float32 whatever gradients travel as: the
    // bucket's --algo is not theirs.
    exchange.set_algorithm(
        SumsAsTree(job.spec)
            ? kTreeAlgorithm
            : std::string(NameOf(ChooseAlgorithm(
                  Collective::kAllReduce,
                  exchange.count() * std::int64_t{sizeof(float)}, hosts,
                  table))));
  }
}

std::string HashOf(const PlanBits& bits) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    PODSIM_CHECK(bits.SerializeToCodedStream(&coded));
  }
  return Sha256Hex(bytes);
}

}  // namespace podsim
