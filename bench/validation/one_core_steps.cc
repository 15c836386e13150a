#include "bench/validation/one_core_steps.h"

#include "base/status.h"

namespace podsim::validation {
namespace {

struct Profile {
  const char* zoo;
  double milliseconds;
};
constexpr Profile kProfiles[] = {
    {"resnet50", 115.7}, {"transformer_big", 150.4}, {"bert_large", 988.9}};

}  // namespace

double PublishedMilliseconds(const std::string& zoo) {
  for (const Profile& profile : kProfiles)
    if (zoo == profile.zoo) return profile.milliseconds;
  PODSIM_CHECK(false);
}

ChipStep StepOf(const PublishedModel& model, const ChipFigures& chip) {
  return ChipStepOf(model.program, model.rows, chip,
                    static_cast<double>(chip.available_hbm_bytes()));
}

double MillisecondsOf(const ChipProgram& program, const ChipFigures& chip) {
  SimTime all;
  for (const KernelTime& kernel : TimesOf(program, chip)) all += kernel.time;
  return 1e3 * all.seconds();
}

}  // namespace podsim::validation
