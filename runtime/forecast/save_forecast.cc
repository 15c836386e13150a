#include "runtime/forecast/save_forecast.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "runtime/job/geography.h"
#include "runtime/job/geography_bytes.h"

namespace podsim {
namespace {

// Steps from a save to the next; those of the whole run: only its end saves.
// By steps the next one may have to wait, by the clock it comes later instead.
struct Interval {
  std::int64_t steps = 0;
  bool waits = false;
};

Interval IntervalOf(const SaveTimes& times, SimTime upload) {
  Interval interval = {times.steps, true};
  if (times.every > 0) interval.steps = std::min(times.steps, times.every);
  if (times.every_seconds <= 0) return interval;
  const double apart = std::max(times.every_seconds, upload.seconds());
  const double by_clock = std::ceil(apart / times.step.seconds());
  if (by_clock >= static_cast<double>(interval.steps)) return interval;
  return {std::max<std::int64_t>(1, static_cast<std::int64_t>(by_clock)),
          false};
}

}  // namespace

SaveForecast ForecastSaves(const SaveTimes& times, SimTime pause,
                           SimTime upload) {
  PODSIM_CHECK(times.steps >= 1 && times.step > SimTime());
  const Interval interval = IntervalOf(times, upload);
  const std::int64_t rest = times.steps % interval.steps;
  SaveForecast saves = {
      .count = times.steps / interval.steps + (rest > 0 ? 1 : 0),
      .pause = pause,
      .upload = upload};
  const auto wait = [&](std::int64_t steps) {
    return std::max(0.0, upload.seconds() -
                             static_cast<double>(steps) * times.step.seconds());
  };
  // The end waits, whatever came before; it may be nearer than an interval.
  const std::int64_t whole = saves.count - 1 - (rest > 0 ? 1 : 0);
  if (interval.waits)
    saves.wait_seconds = static_cast<double>(whole) * wait(interval.steps);
  if (rest > 0 && saves.count > 1) saves.wait_seconds += wait(rest);
  return saves;
}

std::optional<SaveForecast> ForecastSaves(const JobPlan& plan,
                                          const Slice& slice, SimTime step) {
  const JobGeography& geography = plan.geography();
  const BucketPlace* place = PlaceOf(geography, "model_dir");
  if (geography.checkpoint_bytes() == 0 || place == nullptr || !HasLink(*place))
    return std::nullopt;
  const auto bytes = static_cast<double>(geography.checkpoint_bytes());
  // Every chip gives its share over its own wire; every host writes its own,
  // and the answer to the last of it takes a round trip.
  const SimTime pause = SimTime::Seconds(
      bytes / (slice.chips * slice.chip().host_bytes_per_second_per_chip));
  const SimTime upload =
      SimTime::Seconds(place->round_trip_seconds().value() +
                       bytes / slice.hosts / WriteRate(*place, slice.hosts));
  SaveForecast saves =
      ForecastSaves({.steps = plan.train_steps(),
                     .step = step,
                     .every = plan.spec().checkpoint_every(),
                     .every_seconds = plan.spec().checkpoint_every_seconds()},
                    pause, upload);
  saves.bytes = geography.checkpoint_bytes();
  return saves;
}

}  // namespace podsim
