#include "tests/testing/gcs/api_call.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace podsim::testing {
namespace {

std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(
          std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// What an upload says of the object: in the query, or as JSON that begins the
// body, in a part of its own if there are two.
std::string UploadedName(const ApiCall& call) {
  if (const std::string name = call.Query("name"); !name.empty()) return name;
  std::string_view body = call.request.body;
  if (call.Query("uploadType") == "multipart") {
    const std::size_t headers = body.find("\r\n\r\n");
    if (headers == std::string_view::npos) return "";
    body.remove_prefix(headers + 4);
    body = body.substr(0, body.find("\r\n--"));
  }
  const auto metadata = nlohmann::json::parse(body, nullptr, false);
  return metadata.is_object() ? metadata.value("name", "") : "";
}

Asked WhatListing(const ApiCall& call) {
  const std::string prefix = call.Query("prefix");
  if (call.Query("maxResults") == "1") return {"look", prefix};
  if (!call.Query("pageToken").empty()) return {"page", prefix};
  return {call.Query("delimiter").empty() ? "listing" : "folder", prefix};
}

}  // namespace

ApiCall::ApiCall(const HttpRequest& request) : request(request) {
  std::string target = request.url;
  const std::size_t scheme = target.find("://");
  if (scheme != std::string::npos)
    target.erase(0, target.find('/', scheme + 3));
  const std::size_t question = target.find('?');
  for (const absl::string_view part :
       absl::StrSplit(target.substr(0, question), '/', absl::SkipEmpty()))
    path.push_back(Decoded(std::string(part)));
  if (question == std::string::npos) return;
  for (const absl::string_view pair :
       absl::StrSplit(target.substr(question + 1), '&')) {
    const std::string text(pair);
    const std::size_t equals = text.find('=');
    query[text.substr(0, equals)] =
        equals == std::string::npos ? "" : Decoded(text.substr(equals + 1));
  }
}

std::string ApiCall::Query(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

std::string ApiCall::Header(const std::string& name) const {
  for (const std::string& header : request.headers)
    if (header.size() > name.size() + 1 &&
        absl::AsciiStrToLower(header.substr(0, name.size() + 1)) == name + ":")
      return std::string(
          absl::StripAsciiWhitespace(header.substr(name.size() + 1)));
  return "";
}

Asked WhatIsAsked(const ApiCall& call) {
  const std::string& method = call.request.method;
  if (!call.path.empty() && call.path.front() == "upload") {
    if (method == "PUT") return {"piece", ""};
    return {"write", UploadedName(call)};
  }
  const std::string last = call.path.empty() ? "" : call.path.back();
  if (call.path.size() == 4) return {"bucket", last};
  if (call.path.size() == 5) return WhatListing(call);
  if (method == "POST") return {"copy", last};
  if (method == "DELETE") return {"delete", last};
  return {call.Query("alt") == "media" ? "read" : "look", last};
}

}  // namespace podsim::testing
