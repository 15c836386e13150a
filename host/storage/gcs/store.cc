#include "host/storage/gcs/store.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/storage/gcs/headway.h"
#include "host/storage/gcs/name.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/tree.h"

namespace podsim {
namespace {

// How often an unconditional write or delete is overtaken before it gives up.
constexpr int kRaces = 64;
constexpr char kOvertaken[] = "another wrote it first";
constexpr std::int64_t kLongestRange = std::numeric_limits<std::int64_t>::max();

class GcsStore final : public ObjectStore, public ConditionalObjects {
 public:
  explicit GcsStore(std::unique_ptr<GcsClient> client)
      : client_(std::move(client)) {}

  absl::StatusOr<std::string> Read(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("open", path));
    PODSIM_ASSIGN_OR_RETURN(std::optional<std::string> whole,
                            ReadGcsObject(*client_, name));
    if (!whole) return Missing("open", name);
    return *std::move(whole);
  }

  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    if (offset < 0 || length < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("read ", std::string(path), ": offset ", offset,
                       " and length ", length, " must not be negative"));
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("open", path));
    // Of nothing, whether it is there; and no end beyond what has a number.
    const std::int64_t asked =
        std::clamp<std::int64_t>(length, 1, kLongestRange - offset);
    PODSIM_ASSIGN_OR_RETURN(
        std::optional<GcsBytes> read,
        ReadGcsRange(*client_, name, offset, asked, /*generation=*/0));
    if (!read) return Missing("open", name);
    return length == 0 ? std::string() : std::move(read->bytes);
  }

  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("open", path));
    PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(*client_, name));
    if (!object) return Missing("open", name);
    return ObjectStat{.bytes = object->size,
                      .version = absl::StrCat(object->generation)};
  }

  absl::Status Write(std::string_view path, std::string_view bytes) override {
    if (!path.empty() && path.back() == '/')
      return absl::NotFoundError(
          absl::StrCat("write ", std::string(path), ": ", kIsAFolder));
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("write", path));
    GcsHeadway headway(*client_, "write " + name.uri());
    for (;;) {
      PODSIM_ASSIGN_OR_RETURN(const auto before, StatGcs(*client_, name));
      const auto written =
          UploadGcs(*client_, name, bytes, before ? before->generation : 0);
      if (!absl::IsAborted(written.status())) return written.status();
      // Or was it an attempt of this very write whose answer was lost?
      PODSIM_ASSIGN_OR_RETURN(const bool ours, Holds(name, bytes));
      if (ours) return headway.Done();
      PODSIM_RETURN_IF_ERROR(headway.Stuck(kOvertaken, kRaces));
    }
  }

  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ParseGcsName(prefix));
    const std::size_t skipped = name.prefix().size();
    std::vector<std::string> names;
    bool there = name.object.empty();
    const auto add = [&](const std::string& whole) {
      there = true;
      // An object that marks the directory itself is called as its prefix.
      if (whole.size() > skipped) names.push_back(whole.substr(skipped));
    };
    PODSIM_RETURN_IF_ERROR(
        EachGcsPage(*client_, name, /*flat=*/false, [&](const GcsPage& page) {
          for (const GcsObject& object : page.objects) add(object.name);
          for (const std::string& below : page.prefixes) add(below);
        }));
    if (!there) return NoDirectory("list", name);
    std::sort(names.begin(), names.end());
    return names;
  }

  absl::Status Delete(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("delete", path));
    GcsHeadway headway(*client_, "delete " + name.uri());
    for (;;) {
      PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(*client_, name));
      if (!object) return Missing("delete", name);
      absl::Status status = DeleteGcs(*client_, name, object->generation);
      if (!absl::IsAborted(status)) return status;
      PODSIM_RETURN_IF_ERROR(headway.Stuck(kOvertaken, kRaces));
    }
  }

  absl::Status DeleteTree(std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ParseGcsName(directory));
    if (name.object.empty())
      return absl::InvalidArgumentError(absl::StrCat(
          "delete ", name.uri(), ": a whole bucket is not deleted"));
    PODSIM_ASSIGN_OR_RETURN(const bool there, DeleteGcsTree(*client_, name));
    return there ? absl::OkStatus() : NoDirectory("delete", name);
  }

  ConditionalObjects* Conditional(std::string_view) override { return this; }

  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ParseGcsName(directory));
    const std::size_t skipped = name.prefix().size();
    std::vector<Listed> listed;
    PODSIM_RETURN_IF_ERROR(
        EachGcsPage(*client_, name, /*flat=*/true, [&](const GcsPage& page) {
          for (const GcsObject& object : page.objects)
            if (object.name.size() > skipped)
              listed.push_back({.name = object.name.substr(skipped),
                                .bytes = object.size,
                                .generation = object.generation});
        }));
    std::sort(listed.begin(), listed.end(),
              [](const Listed& a, const Listed& b) { return a.name < b.name; });
    return listed;
  }

  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("open", path));
    PODSIM_ASSIGN_OR_RETURN(
        std::optional<GcsBytes> read,
        ReadGcsRange(*client_, name, 0, kUploadAtOnce, /*generation=*/0));
    if (!read) return std::optional<Version>();
    Version version{.bytes = std::move(read->bytes),
                    .generation = read->generation};
    if (version.generation == 0) {  // the answer did not say
      PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(*client_, name));
      if (!object) return std::optional<Version>();
      version.generation = object->generation;
    }
    return std::optional(std::move(version));
  }

  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("write", path));
    const auto written = UploadGcs(*client_, name, bytes, expected);
    if (written.ok()) return written->generation;
    if (!absl::IsAborted(written.status())) return written.status();
    // Or was it an attempt of this very write whose answer was lost?
    PODSIM_ASSIGN_OR_RETURN(const auto now, ReadVersion(path));
    if (now && now->bytes == bytes) return now->generation;
    return written.status();
  }

  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ObjectName("delete", path));
    return DeleteGcs(*client_, name, expected);
  }

  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName source, ObjectName("copy", from));
    PODSIM_ASSIGN_OR_RETURN(const GcsName target, ObjectName("write", to));
    const absl::Status copied = CopyGcs(*client_, source, target, expected);
    if (!absl::IsAborted(copied)) return copied;
    // Or was it an attempt of this very copy whose answer was lost?
    PODSIM_ASSIGN_OR_RETURN(const auto here, StatGcs(*client_, source));
    PODSIM_ASSIGN_OR_RETURN(const auto there, StatGcs(*client_, target));
    const bool same = here && there && here->size == there->size &&
                      here->crc32c && here->crc32c == there->crc32c;
    return same ? absl::OkStatus() : copied;
  }

  absl::StatusOr<std::string> Location(std::string_view path) override {
    PODSIM_ASSIGN_OR_RETURN(const GcsName name, ParseGcsName(path));
    return LocationOfGcs(*client_, name);
  }
  bool CanRename(std::string_view) const override { return false; }
  absl::Status Rename(std::string_view from, std::string_view) override {
    return absl::UnimplementedError(absl::StrCat("rename ", std::string(from),
                                                 ": this store cannot rename"));
  }

 private:
  // One that names more than a bucket.
  static absl::StatusOr<GcsName> ObjectName(std::string_view doing,
                                            std::string_view path) {
    PODSIM_ASSIGN_OR_RETURN(GcsName name, ParseGcsName(path));
    if (!name.object.empty()) return name;
    return absl::NotFoundError(
        absl::StrCat(std::string(doing), " ", name.uri(), ": ", kIsAFolder));
  }

  // What there is instead of an object.
  absl::Status Missing(std::string_view doing, const GcsName& name) {
    PODSIM_ASSIGN_OR_RETURN(
        const GcsPage below,
        ListGcs(*client_, name, /*flat=*/true, /*place=*/{}, /*most=*/1));
    return absl::NotFoundError(
        absl::StrCat(std::string(doing), " ", name.uri(), ": ",
                     below.objects.empty() ? kNothingThere : kIsAFolder));
  }

  absl::Status NoDirectory(std::string_view doing, const GcsName& name) {
    PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(*client_, name));
    return absl::NotFoundError(absl::StrCat(std::string(doing), " ", name.uri(),
                                            ": ",
                                            object ? kIsAFile : kNothingThere));
  }

  absl::StatusOr<bool> Holds(const GcsName& name, std::string_view bytes) {
    PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(*client_, name));
    return object && object->size == static_cast<std::int64_t>(bytes.size()) &&
           object->crc32c && *object->crc32c == Crc32cOf(bytes);
  }

  const std::unique_ptr<GcsClient> client_;
};

}  // namespace

std::unique_ptr<ObjectStore> NewGcsStore(std::unique_ptr<GcsClient> client) {
  return std::make_unique<GcsStore>(std::move(client));
}

}  // namespace podsim
