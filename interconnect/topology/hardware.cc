#include "interconnect/topology/hardware.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "interconnect/topology/figure_slip.h"
#include "interconnect/topology/hardware_texts.h"
#include "interconnect/topology/word_slip.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::TextFormat;

// Protobuf's message, printable and without the name of its own type; of a
// field that there was once, what to give in its place.
std::string WhyOf(const std::string& message) {
  constexpr char kNoField[] = "has no field named ";
  const std::size_t field = message.find(kNoField);
  std::string why =
      field == std::string::npos
          ? message
          : absl::StrCat("there is no field ",
                         message.substr(field + sizeof(kNoField) - 1));
  for (char& c : why)
    if (c < ' ' || c > '~') c = '?';
  why = std::string(absl::StripSuffix(why, "."));
  if (absl::EndsWith(why, "\"core_share\""))
    absl::StrAppend(&why, "; give matrix_share and hbm_share");
  return why;
}

constexpr char kHowWritten[] =
    "; it is written as pod_launch --print_hardware=v3 prints it";

// Keeps the first thing that is wrong, with its place.
class FirstError : public ::google::protobuf::io::ErrorCollector {
 public:
  // `kind`: the message that the whole file stands for.
  FirstError(std::string_view file, const google::protobuf::Descriptor& kind)
      : file_(file), kind_(kind) {}

  void AddError(int line, int column, const std::string& message) override {
    if (!text_.empty()) return;
    std::string slip = WordSlip(message, file_, kind_, line, column);
    if (slip.empty()) slip = FigureSlip(message, file_, line, column);
    text_ = absl::StrCat(
        line + 1, ":", column + 1, ": ",
        slip.empty() ? absl::StrCat(WhyOf(message), kHowWritten) : slip);
  }
  // "2:32: link_bytes_per_second is ...".
  const std::string& text() const { return text_; }

 private:
  const std::string_view file_;
  const google::protobuf::Descriptor& kind_;
  std::string text_;
};

absl::Status Parse(std::string_view text, Message& message) {
  TextFormat::Parser parser;
  FirstError error(text, *message.GetDescriptor());
  parser.RecordErrorsTo(&error);
  if (parser.ParseFromString(std::string(text), &message))
    return absl::OkStatus();
  return absl::InvalidArgumentError(error.text());
}

// What follows the comments that a text begins with.
std::string_view FirstWordAt(std::string_view text) {
  constexpr char kSpace[] = " \t\r\n";
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty() || text.front() != '#') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return text;
}

// The first word that is no comment.
std::string_view FirstWord(std::string_view text) {
  text = FirstWordAt(text);
  return text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"));
}

void MergeSlices(const Generation& from, Generation& to) {
  for (const SliceShape& slice : from.slices()) {
    auto* slices = to.mutable_slices();
    const auto same = std::find_if(
        slices->begin(), slices->end(),
        [&](const SliceShape& is) { return is.name() == slice.name(); });
    *(same == slices->end() ? slices->Add() : &*same) = slice;
  }
  const auto chips = [](const SliceShape& slice) {
    std::int64_t count = 1;
    for (const int length : slice.chips()) count *= length;
    return count;
  };
  std::stable_sort(to.mutable_slices()->begin(), to.mutable_slices()->end(),
                   [&](const SliceShape& a, const SliceShape& b) {
                     return chips(a) < chips(b);
                   });
}

// Of what the links take.
bool IsOfLinks(const NamedFigure& named) {
  for (const char* name :
       {"links", "link_bytes_per_second", "hop_seconds", "link_share",
        "collective_seconds", "core_piece_bytes"})
    if (named.name == name) return true;
  return false;
}

// Fields that `from` sets, each as a whole: a figure brings its own source.
void Merge(const Generation& from, Generation& to) {
  const auto* reflection = from.GetReflection();
  std::vector<const FieldDescriptor*> given;
  reflection->ListFields(from, &given);
  Generation kept = to;
  for (const FieldDescriptor* field : given)
    if (field->name() != "slices") reflection->ClearField(&kept, field);
  // What was said of other figures says nothing of these.
  const std::vector<NamedFigure> figures = FiguresIn(from);
  if (std::any_of(figures.begin(), figures.end(), IsOfLinks))
    kept.set_network_note("figures of a file, held against nothing");
  if (!figures.empty()) kept.clear_compared_steps();
  Generation rest = from;
  rest.clear_slices();
  kept.MergeFrom(rest);
  MergeSlices(from, kept);
  to = std::move(kept);
}

std::string FileName(std::string_view name) {
  return absl::StrCat("hardware file ", std::string(name));
}

}  // namespace

const Hardware& ShippedHardware() {
  static const Hardware* const kHardware = [] {
    auto* hardware = new Hardware();
    for (const char* text : kHardwareTexts) {
      Generation& generation = *hardware->add_generations();
      PODSIM_CHECK(Parse(text, generation).ok());
      PODSIM_CHECK(CheckGeneration(generation).ok());
    }
    return hardware;
  }();
  return *kHardware;
}

const Generation* FindGeneration(const Hardware& hardware,
                                 std::string_view name) {
  for (const Generation& generation : hardware.generations())
    if (generation.name() == name) return &generation;
  return nullptr;
}

absl::StatusOr<Hardware> ParseHardware(std::string_view text,
                                       std::string_view name) {
  Hardware hardware;
  if (FirstWordAt(text).empty())
    return absl::InvalidArgumentError(
        absl::StrCat(FileName(name), ": it is empty", kHowWritten));
  // A file that does not begin with `generations` holds one generation.
  const absl::Status status = FirstWord(text) != "generations"
                                  ? Parse(text, *hardware.add_generations())
                                  : Parse(text, hardware);
  if (!status.ok())
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(name), ":", status.message()));
  return hardware;
}

absl::StatusOr<Hardware> WithHardware(const Hardware& hardware,
                                      const Hardware& given) {
  Hardware merged = hardware;
  for (const Generation& generation : given.generations()) {
    PODSIM_RETURN_IF_ERROR(CheckSliceNames(generation));
    auto* all = merged.mutable_generations();
    const auto same = std::find_if(
        all->begin(), all->end(),
        [&](const Generation& is) { return is.name() == generation.name(); });
    Generation& to = same == all->end() ? *all->Add() : *same;
    Merge(generation, to);
    PODSIM_RETURN_IF_ERROR(CheckGeneration(to));
  }
  return merged;
}

absl::StatusOr<Hardware> WithHardware(const Hardware& hardware,
                                      std::string_view text,
                                      std::string_view name) {
  PODSIM_ASSIGN_OR_RETURN(const Hardware given, ParseHardware(text, name));
  auto merged = WithHardware(hardware, given);
  if (!merged.ok()) return Annotate(merged.status(), FileName(name));
  return merged;
}

std::string HardwareText(const Generation& generation) {
  std::string text;
  TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  PODSIM_CHECK(printer.PrintToString(generation, &text));
  return text;
}

std::vector<NamedFigure> FiguresIn(const Generation& generation) {
  const auto* reflection = generation.GetReflection();
  std::vector<const FieldDescriptor*> given;
  reflection->ListFields(generation, &given);
  std::vector<NamedFigure> figures;
  for (const FieldDescriptor* field : given)
    if (!field->is_repeated() && field->message_type() == Figure::descriptor())
      figures.push_back(
          {field->name(), static_cast<const Figure*>(
                              &reflection->GetMessage(generation, field))});
  return figures;
}

}  // namespace podsim
