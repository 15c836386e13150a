// Any bytes are an answer of the store whose values are what they can be, or an
// error of one line that has nothing of them in it; and whatever an error or a
// header says is shown in a line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "host/storage/gcs/answers.h"

namespace {

void CheckError(const absl::Status& status) {
  PODSIM_CHECK(absl::IsDataLoss(status));
  // The longest of them names a field of ours.
  PODSIM_CHECK(!status.message().empty() && status.message().size() < 80);
  PODSIM_CHECK(status.message().find('\n') == absl::string_view::npos);
}

void CheckObject(const podsim::GcsObject& object) {
  PODSIM_CHECK(!object.name.empty());
  PODSIM_CHECK(object.size >= 0 && object.generation >= 0);
  if (object.crc32c)
    PODSIM_CHECK(podsim::ParseCrc32c(podsim::Crc32cText(*object.crc32c)) ==
                 object.crc32c);
}

void TryMessages(std::string_view json) {
  const auto object = podsim::ParseObject(json);
  object.ok() ? CheckObject(*object) : CheckError(object.status());
  const auto page = podsim::ParsePage(json);
  if (page.ok())
    for (const podsim::GcsObject& one : page->objects) CheckObject(one);
  else
    CheckError(page.status());
  const auto rewrite = podsim::ParseRewrite(json);
  if (rewrite.ok())
    PODSIM_CHECK(rewrite->done == rewrite->token.empty());
  else
    CheckError(rewrite.status());
  const auto location = podsim::ParseLocation(json);
  if (!location.ok()) CheckError(location.status());
  const auto token = podsim::ParseToken(json);
  if (token.ok())
    PODSIM_CHECK(!token->token.empty() && token->lasts >= absl::ZeroDuration());
  else
    CheckError(token.status());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TryMessages(text);
  for (const char ch : podsim::ErrorText(text))
    PODSIM_CHECK(static_cast<unsigned char>(ch) >= ' ' || ch == '\t');
  if (const auto total = podsim::TotalOfRange(text)) PODSIM_CHECK(*total >= 0);
  static_cast<void>(podsim::Crc32cOfHeader(text));
  return 0;
}
