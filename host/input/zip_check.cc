#include "host/input/zip_check.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

absl::Status Ambiguous(const std::string& file, std::int64_t offset,
                       const std::string& why) {
  return absl::DataLossError(absl::StrCat(file, ": offset ", offset, ": ", why,
                                          "; write the archive again"));
}

absl::Status CheckZipNames(const std::vector<ZipMember>& members,
                           const std::string& file) {
  std::map<std::string_view, const ZipMember*> named;
  for (const ZipMember& member : members) {
    const auto [other, is_new] = named.emplace(member.name, &member);
    if (is_new) continue;
    return Ambiguous(
        file, member.header,
        absl::StrCat("two members are called ", PrintableLine(member.name),
                     ", the other at offset ", other->second->header));
  }
  return absl::OkStatus();
}

// Each member has bytes of its own, in front of the directory.
absl::Status CheckZipBytes(const std::vector<ZipMember>& members,
                           std::int64_t directory, const std::string& file) {
  std::vector<const ZipMember*> in_order;
  in_order.reserve(members.size());
  for (const ZipMember& member : members) in_order.push_back(&member);
  std::sort(in_order.begin(), in_order.end(),
            [](const ZipMember* a, const ZipMember* b) {
              return a->header < b->header;
            });
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const ZipMember& member = *in_order[i];
    const bool last = i + 1 == in_order.size();
    const std::int64_t next = last ? directory : in_order[i + 1]->header;
    if (member.offset + member.packed <= next) continue;
    const std::string other =
        last ? "the archive's directory"
             : absl::StrCat("member ", PrintableLine(in_order[i + 1]->name));
    return Ambiguous(file, next,
                     absl::StrCat("member ", PrintableLine(member.name),
                                  " and ", other, " overlap"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckZipMembers(const std::vector<ZipMember>& members,
                             std::int64_t directory, const std::string& file) {
  PODSIM_RETURN_IF_ERROR(CheckZipNames(members, file));
  return CheckZipBytes(members, directory, file);
}

}  // namespace podsim
