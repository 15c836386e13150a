#include "host/storage/gcs/answers.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestReason = 200;
// A page begins as one within so many bytes, behind comments and the like.
constexpr std::size_t kPageBegins = 1024;

absl::Status Wrong(std::string_view field) {
  return absl::DataLossError(absl::StrCat(
      "an answer whose ", std::string(field), " is missing or wrong"));
}

absl::StatusOr<Json> ParseMessage(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return absl::DataLossError("an answer that is no JSON object");
  return json;
}

// Null if it is not there.
const Json& Field(const Json& json, const char* name) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(name);
  return found == json.end() ? kNull : *found;
}

// The API writes 64-bit numbers as strings.
absl::StatusOr<std::int64_t> Number(const Json& json, const char* name) {
  const Json& field = Field(json, name);
  std::int64_t number = 0;
  if (field.is_string() &&
      absl::SimpleAtoi(field.get_ref<const std::string&>(), &number) &&
      number >= 0)
    return number;
  if (field.is_number_unsigned() && field.get<std::uint64_t>() >> 63 == 0)
    return static_cast<std::int64_t>(field.get<std::uint64_t>());
  return Wrong(name);
}

absl::StatusOr<std::string> Text(const Json& json, const char* name) {
  const Json& field = Field(json, name);
  if (!field.is_string() || field.get_ref<const std::string&>().empty())
    return Wrong(name);
  return field.get<std::string>();
}

absl::StatusOr<GcsObject> ObjectOf(const Json& json) {
  GcsObject object;
  PODSIM_ASSIGN_OR_RETURN(object.name, Text(json, "name"));
  PODSIM_ASSIGN_OR_RETURN(object.size, Number(json, "size"));
  PODSIM_ASSIGN_OR_RETURN(object.generation, Number(json, "generation"));
  // 0 says in a precondition that there is none.
  if (object.generation == 0) return Wrong("generation");
  const Json& crc = Field(json, "crc32c");
  if (!crc.is_null()) {
    if (!crc.is_string()) return Wrong("crc32c");
    object.crc32c = ParseCrc32c(crc.get_ref<const std::string&>());
    if (!object.crc32c) return Wrong("crc32c");
  }
  return object;
}

}  // namespace

absl::StatusOr<GcsObject> ParseObject(std::string_view json) {
  PODSIM_ASSIGN_OR_RETURN(const Json message, ParseMessage(json));
  return ObjectOf(message);
}

absl::StatusOr<GcsPage> ParsePage(std::string_view json) {
  PODSIM_ASSIGN_OR_RETURN(const Json message, ParseMessage(json));
  GcsPage page;
  for (const Json& item : Field(message, "items")) {
    PODSIM_ASSIGN_OR_RETURN(GcsObject object, ObjectOf(item));
    page.objects.push_back(std::move(object));
  }
  for (const Json& prefix : Field(message, "prefixes")) {
    if (!prefix.is_string()) return Wrong("prefixes");
    page.prefixes.push_back(prefix.get<std::string>());
  }
  const Json& next = Field(message, "nextPageToken");
  if (!next.is_null() && !next.is_string()) return Wrong("nextPageToken");
  if (next.is_string()) page.next = next.get<std::string>();
  return page;
}

absl::StatusOr<GcsRewrite> ParseRewrite(std::string_view json) {
  PODSIM_ASSIGN_OR_RETURN(const Json message, ParseMessage(json));
  const Json& done = Field(message, "done");
  if (!done.is_boolean()) return Wrong("done");
  GcsRewrite rewrite{.done = done.get<bool>()};
  if (!rewrite.done) {
    PODSIM_ASSIGN_OR_RETURN(rewrite.token, Text(message, "rewriteToken"));
    rewrite.copied = Number(message, "totalBytesRewritten").value_or(0);
  }
  return rewrite;
}

absl::StatusOr<std::string> ParseLocation(std::string_view json) {
  PODSIM_ASSIGN_OR_RETURN(const Json message, ParseMessage(json));
  return Text(message, "location");
}

absl::StatusOr<GcsToken> ParseToken(std::string_view json) {
  PODSIM_ASSIGN_OR_RETURN(const Json message, ParseMessage(json));
  GcsToken token;
  PODSIM_ASSIGN_OR_RETURN(token.token, Text(message, "access_token"));
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t seconds,
                          Number(message, "expires_in"));
  token.lasts = absl::Seconds(seconds);
  return token;
}

std::string ErrorText(std::string_view json) {
  const Json message = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  const Json& error = Field(message, "error");
  const Json& text = Field(error, "message");
  if (!text.is_string()) return "";
  std::string said = text.get<std::string>();
  const Json& errors = Field(error, "errors");
  if (errors.is_array() && !errors.empty() &&
      Field(errors[0], "reason").is_string())
    absl::StrAppend(&said, " (", errors[0]["reason"].get<std::string>(), ")");
  said.resize(std::min(said.size(), kLongestReason));
  return PrintableLine(said);
}

bool IsErrorOfApi(std::string_view json, int status) {
  const Json message = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  const Json& code = Field(Field(message, "error"), "code");
  return code.is_number_integer() && code.get<std::int64_t>() == status;
}

bool IsHtml(std::string_view body) {
  std::string begin(body.substr(0, kPageBegins));
  if (begin.rfind("\xEF\xBB\xBF", 0) == 0)
    begin.erase(0, 3);  // a byte order mark
  absl::AsciiStrToLower(&begin);
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(begin), "<") &&
         (absl::StrContains(begin, "<!doctype html") ||
          absl::StrContains(begin, "<html"));
}

std::string SizeAndSum(std::int64_t size, std::optional<std::uint32_t> crc32c) {
  return absl::StrCat(size, size == 1 ? " byte" : " bytes",
                      crc32c ? ", CRC32C " + Crc32cText(*crc32c) : "");
}

std::string Crc32cText(std::uint32_t crc) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(crc >> shift & 255);
  return absl::Base64Escape(bytes);
}

std::optional<std::uint32_t> ParseCrc32c(std::string_view text) {
  std::string bytes;
  if (!absl::Base64Unescape(std::string(text), &bytes) || bytes.size() != 4)
    return std::nullopt;
  std::uint32_t crc = 0;
  for (const char ch : bytes) crc = crc << 8 | static_cast<unsigned char>(ch);
  return crc;
}

std::optional<std::uint32_t> Crc32cOfHeader(std::string_view header) {
  constexpr std::string_view kKey = "crc32c=";
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(header.data(), header.size()), ',')) {
    const absl::string_view hash = absl::StripAsciiWhitespace(part);
    if (hash.substr(0, kKey.size()) ==
        absl::string_view(kKey.data(), kKey.size()))
      return ParseCrc32c(std::string(hash.substr(kKey.size())));
  }
  return std::nullopt;
}

std::optional<std::int64_t> TotalOfRange(std::string_view header) {
  const std::size_t slash = header.rfind('/');
  std::int64_t total = 0;
  if (slash == std::string_view::npos ||
      !absl::SimpleAtoi(std::string(header.substr(slash + 1)), &total) ||
      total < 0)
    return std::nullopt;
  return total;
}

}  // namespace podsim
