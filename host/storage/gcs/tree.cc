#include "host/storage/gcs/tree.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "host/storage/gcs/headway.h"

namespace podsim {
namespace {

constexpr int kNamesOfPage = 1000;  // the most that the API gives
constexpr int kMostPages = 10'000;
// In a row without a name, and with a next.
constexpr int kMostBarePages = 16;
// What the names of a listing may take.
constexpr std::int64_t kMostNameBytes = std::int64_t{256} << 20;
// How often others may write where all was deleted.
constexpr int kMostReturns = 64;
// How often in a row all that is listed was deleted before, or stays.
constexpr int kMostIdleRounds = 8;

// A listing, page after page.
class Pages {
 public:
  Pages(GcsClient& client, const GcsName& name, bool flat)
      : client_(client),
        name_(name),
        flat_(flat),
        headway_(client, "list " + name.uri()) {}

  // REQUIRES: !over().
  absl::StatusOr<GcsPage> Next() {
    if (pages_ > 0)
      PODSIM_RETURN_IF_ERROR(headway_.At(
          0, absl::StrCat(pages_, pages_ == 1 ? " page" : " pages", " with ",
                          FormatCounted(names_, "name"), " so far")));
    PODSIM_ASSIGN_OR_RETURN(
        GcsPage page, ListGcs(client_, name_, flat_, place_, kNamesOfPage));
    ++pages_;
    Count(page);
    const std::string wrong = WhyEndless(page);
    if (!wrong.empty())
      return absl::UnavailableError(
          absl::StrCat("list ", name_.uri(), ": ", wrong));
    place_.token = page.next;
    if (over()) static_cast<void>(headway_.Done());
    return page;
  }
  bool over() const { return pages_ > 0 && place_.token.empty(); }

 private:
  void Count(const GcsPage& page) {
    const auto count = [this](const std::string& name) {
      ++names_;
      bytes_ += static_cast<std::int64_t>(name.size());
      place_.after = std::max(place_.after, name);
    };
    for (const GcsObject& object : page.objects) count(object.name);
    for (const std::string& below : page.prefixes) count(below);
    const bool bare = page.objects.empty() && page.prefixes.empty();
    bare_ = bare ? bare_ + 1 : 0;
  }

  // Empty: it may end.
  std::string WhyEndless(const GcsPage& page) const {
    if (bytes_ > kMostNameBytes)
      return absl::StrCat("its names take more than ",
                          FormatBytes(kMostNameBytes));
    if (page.next.empty()) return "";
    if (page.next == place_.token)
      return absl::StrCat("page ", pages_, " names itself as the next");
    if (bare_ == kMostBarePages)
      return absl::StrCat(bare_,
                          " pages in a row have no name, and each another "
                          "next");
    return pages_ == kMostPages
               ? absl::StrCat("page ", pages_, " is not the last")
               : std::string();
  }

  GcsClient& client_;
  const GcsName name_;
  const bool flat_;
  GcsHeadway headway_;
  GcsPlace place_;
  int pages_ = 0;
  int bare_ = 0;
  std::int64_t names_ = 0;
  std::int64_t bytes_ = 0;
};

// An object as it was listed.
using Listing = std::pair<std::string, std::int64_t>;

// Those that are still what was listed; others are left to the next listing.
absl::StatusOr<std::set<Listing>> DeleteAll(GcsClient& client,
                                            const std::string& bucket,
                                            const GcsPage& page,
                                            GcsHeadway& headway) {
  std::set<Listing> deleted;
  for (const GcsObject& object : page.objects) {
    PODSIM_RETURN_IF_ERROR(headway.At(0, "it has come to " + object.name));
    const absl::Status status = DeleteGcs(
        client, {.bucket = bucket, .object = object.name}, object.generation);
    if (status.ok()) {
      deleted.emplace(object.name, object.generation);
    } else if (!absl::IsNotFound(status) && !absl::IsAborted(status)) {
      return status;
    }
  }
  return deleted;
}

// A page with objects; without: there are none any more.
absl::StatusOr<GcsPage> FirstObjects(GcsClient& client, const GcsName& name) {
  Pages pages(client, name, /*flat=*/true);
  for (;;) {
    PODSIM_ASSIGN_OR_RETURN(GcsPage page, pages.Next());
    if (!page.objects.empty() || pages.over()) return page;
  }
}

}  // namespace

absl::Status EachGcsPage(GcsClient& client, const GcsName& name, bool flat,
                         const std::function<void(const GcsPage&)>& visit) {
  Pages pages(client, name, flat);
  while (!pages.over()) {
    PODSIM_ASSIGN_OR_RETURN(const GcsPage page, pages.Next());
    visit(page);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> DeleteGcsTree(GcsClient& client, const GcsName& name) {
  GcsHeadway headway(client, "delete " + name.uri());
  std::set<Listing> before;  // what the last round deleted
  int returns = 0;
  for (int round = 0; round < kMostPages && returns < kMostReturns; ++round) {
    PODSIM_ASSIGN_OR_RETURN(const GcsPage page, FirstObjects(client, name));
    if (page.objects.empty()) {
      PODSIM_RETURN_IF_ERROR(headway.Done());
      return round > 0;
    }
    if (page.next.empty()) ++returns;
    PODSIM_ASSIGN_OR_RETURN(std::set<Listing> deleted,
                            DeleteAll(client, name.bucket, page, headway));
    if (std::includes(before.begin(), before.end(), deleted.begin(),
                      deleted.end())) {
      PODSIM_RETURN_IF_ERROR(headway.Stuck(
          "the store listed what it does not delete, or has deleted",
          kMostIdleRounds));
    } else {
      headway.CameOn();
    }
    before = std::move(deleted);
  }
  return absl::UnavailableError(
      absl::StrCat("delete ", name.uri(), ": others write there all the time"));
}

}  // namespace podsim
