#include "runtime/monitor/tpu_metrics.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "runtime/monitor/chip_view.h"

namespace podsim {
namespace {

using ::tpu::monitoring::runtime::Gauge;
using ::tpu::monitoring::runtime::TPUMetric;

constexpr char kTotalMemory[] = "tpu.runtime.hbm.memory.total.bytes";
constexpr char kMemoryUsage[] = "tpu.runtime.hbm.memory.usage.bytes";
constexpr char kDutyCycle[] = "tpu.runtime.tensorcore.dutycycle.percent";

// The gauge of a device, or of a chip, to be set.
Gauge& AddGauge(int number, double wall_time, TPUMetric& metric) {
  auto& one = *metric.add_metrics();
  one.mutable_attribute()->set_key("device-id");
  one.mutable_attribute()->mutable_value()->set_int_attr(number);
  const double whole = std::floor(wall_time);
  one.mutable_timestamp()->set_seconds(static_cast<std::int64_t>(whole));
  one.mutable_timestamp()->set_nanos(
      static_cast<std::int32_t>((wall_time - whole) * 1e9));
  return *one.mutable_gauge();
}

}  // namespace

std::vector<std::string> TpuMetricNames() {
  return {kTotalMemory, kMemoryUsage, kDutyCycle};
}

absl::StatusOr<TPUMetric> TpuMetricOf(const std::string& name,
                                      const JobState& state, int host) {
  if (name != kTotalMemory && name != kMemoryUsage && name != kDutyCycle)
    return absl::NotFoundError(
        absl::StrCat("podsim has no metric called that; it has ",
                     absl::StrJoin(TpuMetricNames(), ", ")));
  if (!state.plan) return absl::UnavailableError("the pod has not formed yet");
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, SliceOf(state));
  TPUMetric metric;
  metric.set_name(name);
  int next_chip = 0;
  for (const DeviceView& device : DevicesOf(state, slice, host)) {
    if (name == kDutyCycle) {
      if (device.chip < next_chip) continue;  // the chip's second core
      next_chip = device.chip + 1;
      AddGauge(device.chip, state.wall_time, metric)
          .set_as_double(100 * device.duty);
    } else {
      AddGauge(device.device, state.wall_time, metric)
          .set_as_int(name == kTotalMemory ? device.hbm_total
                                           : device.hbm_used);
    }
  }
  return metric;
}

}  // namespace podsim
