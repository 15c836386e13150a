#include "settings/help_json.h"

#include <nlohmann/json.hpp>

#include "settings/help.h"

namespace podsim {
namespace {

using Json = ::nlohmann::ordered_json;

std::string UnitOf(const Setting& rule) {
  return rule.type() == "BYTES" ? "bytes" : rule.unit();
}

// Empty: any value of the type.
Json BoundsJson(const Setting& rule) {
  Json bounds = Json::object();
  if (rule.has_least()) bounds["least"] = rule.least();
  if (rule.has_most()) bounds["most"] = rule.most();
  if (rule.multiple_of() > 0) bounds["multiple_of"] = rule.multiple_of();
  if (rule.has_above()) bounds["above"] = rule.above();
  if (rule.has_from()) bounds["from"] = rule.from();
  if (rule.has_below()) bounds["below"] = rule.below();
  if (rule.most_items() > 0) bounds["most_items"] = rule.most_items();
  if (rule.most_product() > 0) bounds["most_product"] = rule.most_product();
  return bounds;
}

void AddWhatIsSaid(const Flag& flag, Json& entry) {
  const Setting& rule = SettingOf(*flag.field);
  if (!rule.letter().empty()) entry["letter"] = rule.letter();
  for (const std::string& also : rule.also()) entry["also"].push_back(also);
  for (const Word& word : WordsOf(*flag.field))
    entry["words"].push_back(word.text);
  if (const std::string unit = UnitOf(rule); !unit.empty())
    entry["unit"] = unit;
  if (!rule.default_().empty())
    entry["default"] = rule.default_();
  else if (!rule.otherwise().empty())
    entry["otherwise"] = rule.otherwise();
  if (const Json bounds = BoundsJson(rule); !bounds.empty())
    entry["bounds"] = bounds;
}

Json Entry(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  Json entry = {{"flag", FlagOf(*flag.field)},
                {"help", Explain(*flag.field)},
                {"group", flag.group},
                {"type", rule.type()},
                {"switch", IsSwitch(*flag.field)},
                {"repeated", flag.field->is_repeated()},
                {"argument", rule.positional()},
                {"bits", rule.bits()}};
  AddWhatIsSaid(flag, entry);
  return entry;
}

}  // namespace

std::string FormatHelpJson(const MainProgram& program) {
  Json help = {{"program", program.name},
               {"summary", program.texts.summary},
               {"settings", Json::array()}};
  for (const Flag& flag : FlagsOf(program))
    help["settings"].push_back(Entry(flag));
  return help.dump(1) + "\n";
}

}  // namespace podsim
