// validate               prints docs/validation.md
// validate FILE          ends with 1, and says what is wrong, where FILE is not
//                        that page or what it holds is missed
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "bench/validation/blind_checks.h"
#include "bench/validation/hbm_checks.h"
#include "bench/validation/kernel_checks.h"
#include "bench/validation/left_out_checks.h"
#include "bench/validation/op_profiles.h"
#include "bench/validation/page.h"
#include "bench/validation/profile_checks.h"
#include "bench/validation/program_checks.h"
#include "bench/validation/published_models.h"
#include "bench/validation/rule_checks.h"
#include "bench/validation/shape_checks.h"
#include "bench/validation/step_checks.h"

namespace {

void Append(std::vector<podsim::validation::Check> more,
            std::vector<podsim::validation::Check>& checks) {
  for (podsim::validation::Check& check : more)
    checks.push_back(std::move(check));
}

}  // namespace

int main(int count, char** words) {
  namespace validation = podsim::validation;
  if (count > 2 || (count == 2 && words[1][0] == '-')) {
    std::fprintf(stderr,
                 "validate: unexpected \"%s\"; usage: validate "
                 "[docs/validation.md]\n",
                 words[count > 2 && words[1][0] != '-' ? 2 : 1]);
    return 2;
  }
  std::ifstream file(count == 2 ? words[1] : "");
  if (count == 2 &&
      (!file || file.peek() == std::ifstream::traits_type::eof())) {
    std::fprintf(stderr,
                 "validate: cannot read %s; give the path of a page that "
                 "exists, such as docs/validation.md\n",
                 words[1]);
    return 2;
  }
  const auto ops =
      validation::ReadOpRows(PODSIM_VALIDATION_DATA "/v3_ops.tsv.gz");
  if (!ops.ok()) {
    std::fprintf(stderr, "validate: %s\n",
                 std::string(ops.status().message()).c_str());
    return 2;
  }
  const auto models = validation::ReadPublishedModels(PODSIM_VALIDATION_DATA);
  if (!models.ok()) {
    std::fprintf(stderr, "validate: %s\n",
                 std::string(models.status().message()).c_str());
    return 2;
  }
  const auto blind = validation::ReadBlindModels(PODSIM_VALIDATION_DATA);
  if (!blind.ok()) {
    std::fprintf(stderr, "validate: %s\n",
                 std::string(blind.status().message()).c_str());
    return 2;
  }
  std::vector<validation::Check> held = validation::HeldChecks();
  Append(validation::HeldOpChecks(*ops), held);
  Append(validation::HeldProductChecks(), held);
  Append(validation::HeldProgramChecks(), held);
  Append(validation::HeldProfileChecks(*models), held);
  Append(validation::HeldLeftOutChecks(*ops, *models), held);
  Append(validation::HeldShapeChecks(*ops, *models), held);
  Append(validation::HeldHbmChecks(*models), held);
  Append(validation::HeldRuleChecks(*models), held);
  Append(validation::HeldStepChecks(*models, *ops), held);
  held.push_back(validation::FixedBlindCheck(*models, *blind));
  std::vector<validation::Check> others = validation::OtherChecks();
  Append(validation::OtherOpChecks(*ops), others);
  Append(validation::OtherProductChecks(), others);
  Append(validation::OtherProfileChecks(*models), others);
  Append(validation::OtherStepChecks(*models), others);
  Append(validation::OtherBlindChecks(*models, *blind), others);
  const std::string page = validation::PageOf(held, others);
  const std::string misses = validation::MissesOf(held);
  if (count == 1) {
    std::fputs(page.c_str(), stdout);
    std::fputs(misses.c_str(), stderr);
    return 0;
  }
  const std::string there{std::istreambuf_iterator<char>(file), {}};
  if (there != page)
    std::fprintf(stderr,
                 "validate: %s is not what bench/validate writes into "
                 "docs/validation.md: run bench/validate\n",
                 words[1]);
  std::fputs(misses.c_str(), stderr);
  return there == page && misses.empty() ? 0 : 1;
}
