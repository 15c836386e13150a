// What proto/setting.proto says of a message's fields: the one table from which
// command lines, checks, help, completion and docs/flags.md are made. Pure.
#ifndef PODSIM_SETTINGS_SETTING_H_
#define PODSIM_SETTINGS_SETTING_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "proto/setting.pb.h"

namespace podsim {

// Empty for a field without the option.
const Setting& SettingOf(const google::protobuf::FieldDescriptor& field);

// The flag's name without dashes: "train_steps".
std::string FlagOf(const google::protobuf::FieldDescriptor& field);
// Its environment variable: "PODSIM_TRAIN_STEPS".
std::string VariableOf(const google::protobuf::FieldDescriptor& field);

// One of a setting's words: "v3", "AVX2".
struct Word {
  std::string text;
  std::string help;   // empty: the text says it
  std::string brief;  // the same on a line
};

// The values that there are; none: any.
std::vector<Word> WordsOf(const google::protobuf::FieldDescriptor& field);
std::vector<std::string> TextsOf(const std::vector<Word>& words);
// What the file that it names may hold, of an enum that `kinds` names.
std::vector<Word> KindsOf(const google::protobuf::FieldDescriptor& field);
// "auto, torus, mesh".
std::string WordList(const google::protobuf::FieldDescriptor& field);

// A flag that takes no value: --dry_run.
bool IsSwitch(const google::protobuf::FieldDescriptor& field);

// Present, or a list that is not empty.
bool IsSet(const google::protobuf::Message& message,
           const google::protobuf::FieldDescriptor& field);

// Gives every unset field its default, if it has one.
void FillDefaults(google::protobuf::Message& message);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_SETTING_H_
