#include "runtime/report/other_file.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace podsim {

std::string OtherKindOfFile(std::string_view begin) {
  const absl::string_view text(begin.data(), begin.size());
  if (begin.starts_with("\x1f\x8b"))
    return "it is compressed by gzip: unpack it first, with gunzip";
  if (begin.starts_with("\x28\xb5\x2f\xfd"))
    return "it is compressed by zstd: unpack it first, with unzstd";
  if (begin.starts_with("PK\x03\x04"))
    return "it is a zip archive: unpack it first";
  if (begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff"))
    return "it is UTF-16: make it UTF-8 first, with iconv -f UTF-16 -t UTF-8";
  if (absl::StrContains(text, "\"traceEvents\""))
    return "it is a trace, which ui.perfetto.dev opens";
  if (absl::StartsWithIgnoreCase(text, "<!doctype html"))
    return "it is a page of HTML";
  if (absl::StrContains(text, "brain.Event:2"))
    return "it has events of TensorBoard";
  const bool is_binary = std::any_of(begin.begin(), begin.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r';
  });
  return is_binary ? "it is no text; a trace, say, is for ui.perfetto.dev" : "";
}

}  // namespace podsim
