#include "runtime/files/text_file.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "host/storage/bounded_read.h"
#include "host/storage/uri_store.h"

namespace podsim {
namespace {

// They are some dozen lines; a larger file is something else.
constexpr std::int64_t kMostFileBytes = 1 * kMiB;
constexpr std::size_t kLongestMessage = 200;

std::string Printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

// Keeps the first error, on one printable line.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  FirstError(const std::string& name, const TextKind& kind)
      : name_(name), kind_(kind) {}

  // Protobuf counts from 0, and -1 stands for no place.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!error_.empty()) return;
    error_ = absl::StrCat(name_, ":", line + 1, ":", column + 1, ": ",
                          Printable(message.substr(0, kLongestMessage)), "; a ",
                          kind_.name, " is written as ", kind_.example);
  }

  const std::string& error() const { return error_; }

 private:
  const std::string name_;
  const TextKind kind_;
  std::string error_;
};

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path,
                                     const TextKind& kind) {
  const auto store = NewUriStore();
  const std::string what = absl::StrCat(kind.name, " file");
  auto text = ReadAtMost(*store, path, kMostFileBytes);
  if (absl::IsOutOfRange(text.status()))
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", std::string(text.status().message())));
  if (!text.ok()) return Annotate(text.status(), what);
  return text;
}

absl::Status ParseText(const std::string& text, const std::string& name,
                       const TextKind& kind,
                       google::protobuf::Message& message) {
  FirstError collector(name, kind);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  if (parser.ParseFromString(text, &message)) return absl::OkStatus();
  return absl::InvalidArgumentError(collector.error());
}

}  // namespace podsim
