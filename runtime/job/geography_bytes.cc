#include "runtime/job/geography_bytes.h"

#include <algorithm>

#include "base/status.h"
#include "host/input/fields.h"
#include "host/input/input_memory.h"
#include "host/input/shared_lanes.h"
#include "host/storage/gcs/reading.h"
#include "job/repeats.h"
#include "runtime/job/geography.h"
#include "runtime/job/plan_placement.h"

namespace podsim {
namespace {

// Beyond any disk, and countable.
constexpr double kMostBytes = 1e18;

// Bytes of an example as the data set's files have it: shards say so, mnist's
// pixels and label are bytes, arrays' elements are as they are.
std::int64_t ExampleBytes(const DatasetConfig& dataset) {
  if (dataset.stored_bytes() > 0 && dataset.train_examples() > 0)
    return (dataset.stored_bytes() + dataset.train_examples() - 1) /
           dataset.train_examples();
  if (dataset.name() == "mnist") {
    std::int64_t pixels = 1;
    for (const std::int32_t side : dataset.example_shape()) pixels *= side;
    return pixels + 1;
  }
  const auto fields = FieldsOf(dataset);
  PODSIM_CHECK(fields.ok());  // the plan's data set was opened
  std::int64_t bytes = 0;
  for (const DataField& field : *fields)
    bytes += SizeOf(field.type.dtype) * field.type.shape.elements();
  return bytes;
}

// Of packed shards: bytes of a run that a host reads one after the other, and
// how many hosts read a byte on the average, no more than all.
double HostsInOrder(const PlanBits& bits, std::int64_t example_bytes,
                    std::int64_t read_bytes) {
  if (!bits.dataset().packed()) return 1;
  const std::int64_t run =
      example_bytes * bits.batch_per_core() * bits.cores_per_host();
  return std::min(static_cast<double>(bits.hosts()),
                  TimesOfRun(static_cast<double>(run),
                             static_cast<double>(bits.dataset().span_bytes()),
                             static_cast<double>(read_bytes)));
}

// Where an epoch goes by lanes. What lies at both ends of a lane its neighbours
// read too, be it the same host at another time.
double HostsByLane(const PlanBits& bits, std::int64_t read_bytes) {
  const DatasetConfig& dataset = bits.dataset();
  const double hosts = HostsOfLane(dataset.lanes(), bits.hosts());
  if (!dataset.packed()) return hosts;
  const double lane = static_cast<double>(dataset.stored_bytes()) /
                      static_cast<double>(dataset.lanes());
  return hosts * TimesOfRun(lane, static_cast<double>(dataset.span_bytes()),
                            static_cast<double>(read_bytes));
}

// A span is unpacked by one thread at a time: in order, as many as what is kept
// is of; else at least one of each lane.
int PackedReadsInFlight(const PlanBits& bits, std::int64_t kept,
                        std::int64_t lanes, std::int64_t example_bytes) {
  const DatasetConfig& dataset = bits.dataset();
  const double unpacked =
      static_cast<double>(dataset.span_bytes()) *
      std::max(1.0, static_cast<double>(BatchBytes(dataset, 1)) /
                        static_cast<double>(example_bytes));
  const double spans = bits.in_order() ? static_cast<double>(kept) / unpacked
                                       : static_cast<double>(lanes);
  return static_cast<int>(std::clamp<double>(spans, 1, kGcsReadsInFlight));
}

// Examples of a run that only evaluates are those held out.
std::int64_t ReadBytes(const JobSpec& spec, const JobPlan& plan,
                       const BucketPlace& place, std::int64_t example_bytes) {
  const bool trains = spec.mode() != words::Mode::eval;
  const std::int64_t evaluations =
      trains ? RepeatsIn(plan.train_steps(), spec.steps_per_eval()) : 1;
  const double examples =
      static_cast<double>(plan.bits().dataset().eval_examples()) *
          static_cast<double>(evaluations) *
          HostsInOrder(plan.bits(), example_bytes, place.bytes_of_read()) +
      (trains
           ? static_cast<double>(plan.total_examples()) * HostsOfExample(place)
           : 0);
  return static_cast<std::int64_t>(
      std::min(kMostBytes, examples * static_cast<double>(example_bytes)));
}

// `lanes` that a process reads, if it does not read in order.
ReaderParts PartsOf(const PlanBits& bits, std::int64_t reader_bytes,
                    std::int64_t lanes) {
  const DatasetConfig& dataset = bits.dataset();
  const std::int64_t of = dataset.lanes() > 0 && !bits.in_order() ? lanes : 0;
  return dataset.packed() ? PartsOfPacked(reader_bytes, of,
                                          dataset.stored_bytes() /
                                              std::max<std::int64_t>(
                                                  1, dataset.span_bytes()))
                          : PartsOfPlain(reader_bytes, of);
}

// A span is read in as few parts as it can be.
std::int64_t BytesOfSpanRead(const DatasetConfig& dataset,
                             const ReaderParts& parts) {
  if (!dataset.packed()) return 0;
  const std::int64_t span = dataset.span_bytes();
  return span / ((span + parts.stream_bytes - 1) / parts.stream_bytes);
}

// Of shards: blocks that readers keep, records one by one, or spans of packed
// files (host/input/shard_set.h).
void FillReading(const JobSpec& spec, const JobPlan& plan, BucketPlace& place) {
  const PlanBits& bits = plan.bits();
  const DatasetConfig& dataset = bits.dataset();
  if (dataset.stored_bytes() == 0) return;  // read as whole objects
  const int hosts_here = MostHostsOfProcess(spec, bits.hosts());
  const std::int64_t batch_bytes = BatchBytes(
      dataset, hosts_here * bits.batch_per_core() * bits.cores_per_host());
  const std::int64_t kept = TrainReaderBytes(
      DivideInputMemory(spec.input_memory(), batch_bytes).reader_bytes);
  const std::int64_t lanes = std::max<std::int64_t>(
      1, LanesHere(dataset.lanes(), hosts_here, bits.hosts()));
  const std::int64_t example = ExampleBytes(dataset);
  const ReaderParts parts = PartsOf(bits, kept, lanes);
  const std::int64_t of_span = BytesOfSpanRead(dataset, parts);
  if (bits.in_order())
    place.set_hosts_of_example(HostsInOrder(bits, example, of_span));
  else if (dataset.lanes() > 0)
    place.set_hosts_of_example(HostsByLane(bits, of_span));
  if (dataset.packed()) {
    place.set_reads_in_flight(PackedReadsInFlight(
        bits, kept - parts.open_bytes - parts.arriving_bytes, lanes, example));
    place.set_bytes_of_read(of_span);
    return;
  }
  place.set_reads_in_flight(kGcsReadsInFlight);
  if (dataset.shards() == 0) {  // a file each
    place.set_bytes_of_read(example);
    return;
  }
  const bool fits = dataset.stored_bytes() <= kept;
  const bool in_blocks =
      fits || bits.in_order() || dataset.shuffle_window() > 0;
  // A block ends with its file.
  const std::int64_t block =
      std::clamp(dataset.stored_bytes() / dataset.shards(), example,
                 std::max(example, parts.block_bytes));
  place.set_bytes_of_read(in_blocks ? block : example);
}

BucketPlace* DataPlaceOf(JobGeography& geography) {
  for (BucketPlace& place : *geography.mutable_buckets())
    if (Names(place, "data_dir")) return &place;
  return nullptr;
}

}  // namespace

double HostsOfExample(const BucketPlace& place) {
  return std::max(1.0, place.hosts_of_example());
}

void FillGeographyBytes(const JobSpec& spec, const JobPlan& plan,
                        JobGeography& geography) {
  const bool trains = spec.mode() != words::Mode::eval;
  if (BucketPlace* const place = DataPlaceOf(geography); place != nullptr) {
    FillReading(spec, plan, *place);
    geography.set_example_bytes(ExampleBytes(plan.bits().dataset()));
    geography.set_read_bytes(
        ReadBytes(spec, plan, *place, geography.example_bytes()));
  }
  const std::int64_t checkpoint = plan.core_memory().saved();
  if (trains && PlaceOf(geography, "model_dir") != nullptr) {
    geography.set_checkpoint_bytes(checkpoint);
    // The clock may have a say in how many there are.
    if (spec.checkpoint_every_seconds() <= 0)
      geography.set_checkpoints(
          RepeatsIn(plan.train_steps(), spec.checkpoint_every()));
  }
  const char* from = spec.has_restore() || trains ? "restore" : "model_dir";
  if (PlaceOf(geography, from) != nullptr)
    geography.set_restore_bytes(checkpoint);
}

double HostStepBytes(const BucketPlace& place, std::int64_t example_bytes,
                     std::int64_t batch_per_core, const Slice& slice) {
  return static_cast<double>(example_bytes) *
         static_cast<double>(batch_per_core) * slice.replicas_per_host() *
         HostsOfExample(place);
}

void CopyReading(const BucketPlace& from, BucketPlace& to) {
  to.set_reads_in_flight(from.reads_in_flight());
  to.set_bytes_of_read(from.bytes_of_read());
  to.set_hosts_of_example(from.hosts_of_example());
}

double WriteRate(const BucketPlace& place, int hosts) {
  PODSIM_CHECK(HasLink(place) && hosts >= 1);
  return std::min(place.host_bytes_per_second().value(),
                  place.bucket_bytes_per_second().value() / hosts);
}

double ReadRate(const BucketPlace& place, int hosts, int together) {
  const bool whole = place.reads_in_flight() == 0;
  const double in_flight =
      static_cast<double>(whole ? kGcsReadBytes : place.bytes_of_read()) *
      (whole ? kGcsReadsInFlight : place.reads_in_flight());
  return std::min(WriteRate(place, hosts),
                  in_flight / place.round_trip_seconds().value() / together);
}

}  // namespace podsim
