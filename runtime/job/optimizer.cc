#include "runtime/job/optimizer.h"

#include <google/protobuf/message.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/rules/update_rules.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

constexpr char kSgd[] = "sgd";

// Settings of rules have one name in JobSpec, PlanBits and UpdateNumbers.
const FieldDescriptor* FieldOf(const Message& message,
                               const RuleSetting& setting) {
  return message.GetDescriptor()->FindFieldByName(setting.name);
}

bool Has(const Message& message, const RuleSetting& setting) {
  const FieldDescriptor* field = FieldOf(message, setting);
  return field != nullptr && message.GetReflection()->HasField(message, field);
}

double Get(const Message& message, const RuleSetting& setting) {
  return message.GetReflection()->GetDouble(message, FieldOf(message, setting));
}

void Set(double value, const RuleSetting& setting, Message& message) {
  message.GetReflection()->SetDouble(&message, FieldOf(message, setting),
                                     value);
}

const UpdateRule& RuleNamed(const std::string& name) {
  const UpdateRule* rule = FindUpdateRule(name);
  PODSIM_CHECK(rule != nullptr);  // a test compares the words with the rules
  return *rule;
}

bool Reads(const UpdateRule& rule, const RuleSetting& setting) {
  return (rule.info.reads & setting.bit) != 0;
}

bool IsSgd(const JobSpec& spec) {
  return spec.optimizer() == words::Optimizer::sgd;
}

// Which rule's settings an optimizer has: sgd's momentum makes it momentum.
const UpdateRule& RuleOf(const JobSpec& spec) {
  return RuleNamed(IsSgd(spec) ? "momentum" : WordOf(spec.optimizer()));
}

// "adam, adamw or lamb": the optimizers that have it.
std::string OptimizersWith(const RuleSetting& setting) {
  std::vector<std::string> names;
  for (const std::string& word :
       TextsOf(WordsOf(*JobSpec::descriptor()->FindFieldByName("optimizer"))))
    if (Reads(RuleNamed(word == "sgd" ? "momentum" : word), setting))
      names.push_back(word);
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last
                       : absl::StrCat(absl::StrJoin(names, ", "), " or ", last);
}

absl::Status CheckReads(const UpdateRule& rule, const JobSpec& spec) {
  for (const RuleSetting& setting : RuleSettingTable())
    if (Has(spec, setting) && !Reads(rule, setting))
      return absl::InvalidArgumentError(
          absl::StrCat(setting.name, " is ", Get(spec, setting),
                       " but optimizer=", WordOf(spec.optimizer()),
                       " has none; leave it out, or give optimizer=",
                       std::string(setting.name) == "weight_decay"
                           ? "adamw"
                           : OptimizersWith(setting)));
  if (spec.weight_decay_exclude().empty() || rule.info.layer_wise)
    return absl::OkStatus();
  if (rule.info.decay == RuleDecay::kNone || spec.weight_decay() == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("weight_decay_exclude is ",
                     absl::StrJoin(spec.weight_decay_exclude(), ","),
                     " but there is no weight decay; leave it out, or give ",
                     rule.info.decay == RuleDecay::kNone ? "--optimizer=adamw"
                                                         : "--weight_decay=X"));
  return absl::OkStatus();
}

// Whether the recipe's rate is for such an optimizer.
bool IsOfKind(const Recipe& recipe, const JobSpec& spec) {
  return recipe.optimizer == kSgd
             ? IsOfSgd(spec)
             : recipe.optimizer == WordOf(spec.optimizer());
}

absl::Status CheckRate(const Recipe* recipe, const JobSpec& spec) {
  if (recipe == nullptr || IsOfKind(*recipe, spec) ||
      spec.has_learning_rate() || spec.has_base_learning_rate())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("optimizer=", WordOf(spec.optimizer()),
                   " needs a learning_rate: the recipe's ",
                   recipe->learning_rate, " is for ", recipe->optimizer,
                   "; give one, such as --learning_rate=0.001"));
}

std::string NameOf(const PlanBits& bits) {
  return bits.optimizer().empty() ? kSgd : bits.optimizer();
}

void SetNumbers(const UpdateRule& rule, const RuleSettings& settings,
                PlanBits& bits) {
  const std::string name = rule.info.name;
  bits.set_optimizer(name == "momentum" ? kSgd : name);
  bits.set_momentum(settings.momentum);
  for (const RuleSetting& setting : RuleSettingTable())
    if (setting.bit != kReadsMomentum && settings.*setting.value != 0)
      Set(settings.*setting.value, setting, *bits.mutable_update());
}

}  // namespace

bool IsOfSgd(const JobSpec& spec) {
  return IsSgd(spec) || spec.optimizer() == words::Optimizer::momentum ||
         spec.optimizer() == words::Optimizer::nesterov;
}

words::Optimizer::Word OptimizerOf(const Recipe& recipe) {
  const auto word = WordNamed<words::Optimizer::Word>(recipe.optimizer);
  PODSIM_CHECK(word.has_value());  // a test looks every recipe's up
  return *word;
}

absl::Status FillOptimizer(const Recipe* recipe, JobSpec& spec) {
  const UpdateRule& rule = RuleOf(spec);
  RuleSettings defaults = rule.info.defaults;
  if (IsSgd(spec)) defaults.momentum = 0;
  if (recipe != nullptr && IsOfSgd(spec) &&
      (IsSgd(spec) || recipe->momentum != 0))
    defaults.momentum = recipe->momentum;
  for (const RuleSetting& setting : RuleSettingTable()) {
    const double value = defaults.*setting.value;
    const bool always = setting.bit == kReadsMomentum;
    if (Reads(rule, setting) && !Has(spec, setting) && (value != 0 || always))
      Set(value, setting, spec);
  }
  PODSIM_RETURN_IF_ERROR(CheckReads(rule, spec));
  return CheckRate(recipe, spec);
}

void FillUpdate(const JobSpec& spec, PlanBits& bits) {
  const UpdateRule& rule = RuleOf(spec);
  RuleSettings settings = rule.info.defaults;
  for (const RuleSetting& setting : RuleSettingTable())
    if (Reads(rule, setting)) settings.*setting.value = Get(spec, setting);
  SetNumbers(rule, settings, bits);
  for (const std::string& part : spec.weight_decay_exclude())
    bits.mutable_update()->add_weight_decay_exclude(part);
  if (spec.clip_norm() > 0)
    bits.mutable_update()->set_clip_norm(spec.clip_norm());
}

absl::Status FillUpdate(const JobSpec& spec, const Program& program,
                        PlanBits& bits) {
  const UpdateRule* rule = FindUpdateRule(program.rule);
  if (rule == nullptr) {  // an update that the caller wrote
    bits.set_optimizer("sgd");
    bits.set_momentum(spec.momentum());
    return absl::OkStatus();
  }
  if (spec.has_momentum() && spec.momentum() != program.rule_settings.momentum)
    return absl::InvalidArgumentError(absl::StrCat(
        "momentum is ", spec.momentum(), ", the program was compiled with ",
        program.rule_settings.momentum,
        "; CompileOptions.rule_settings says so"));
  bits.clear_update();
  SetNumbers(*rule, program.rule_settings, bits);
  if (program.clip_norm > 0)
    bits.mutable_update()->set_clip_norm(program.clip_norm);
  return absl::OkStatus();
}

std::string OptimizerText(const PlanBits& bits, const OptimizerMarks& marks) {
  const bool sgd = NameOf(bits) == kSgd;
  const UpdateRule* rule = FindUpdateRule(sgd ? "momentum" : bits.optimizer());
  const UpdateNumbers& numbers = bits.update();
  std::string text = absl::StrCat(NameOf(bits), marks.name);
  if (rule != nullptr && (rule->info.reads & kReadsMomentum) != 0)
    absl::StrAppend(&text, ", momentum ", bits.momentum(), marks.momentum);
  for (const RuleSetting& setting : RuleSettingTable())
    if (rule != nullptr && setting.bit != kReadsMomentum &&
        Reads(*rule, setting) && Get(numbers, setting) != 0)
      absl::StrAppend(&text, ", ", setting.name, " ", Get(numbers, setting));
  if (!numbers.weight_decay_exclude().empty())
    absl::StrAppend(&text, " (not of ",
                    absl::StrJoin(numbers.weight_decay_exclude(), ", "), ")");
  if (numbers.clip_norm() > 0)
    absl::StrAppend(&text, ", gradients clipped at a norm of ",
                    numbers.clip_norm());
  return text;
}

bool IsOfRecipe(const Recipe& recipe, const PlanBits& bits) {
  return NameOf(bits) == recipe.optimizer &&
         (recipe.optimizer != kSgd || !bits.has_update()) &&
         bits.learning_rate().schedule().empty();
}

bool HasUpdateOf(const Recipe& recipe, const JobSpec& spec) {
  JobSpec own;
  own.set_optimizer(OptimizerOf(recipe));
  if (!FillOptimizer(&recipe, own).ok()) return false;
  PlanBits known;
  FillUpdate(own, known);
  PlanBits bits;
  FillUpdate(spec, bits);
  return bits.SerializeAsString() == known.SerializeAsString();
}

}  // namespace podsim
