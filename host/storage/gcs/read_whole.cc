// Reading whole objects: ranges of one generation, against their CRC32C.
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/headway.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

constexpr std::int64_t kWholeRange = kGcsReadBytes;
// An object that is larger is looked at before there is room made for it.
constexpr std::int64_t kSurelyFits = kGcsReadsInFlight * kWholeRange;
// How often a read begins anew because its object was replaced.
constexpr int kReplacements = 16;

// The ranges of `whole` from `begin` on, kGcsReadsInFlight at a time.
// False: the generation is gone.
absl::StatusOr<bool> ReadRest(GcsClient& client, const GcsName& name,
                              std::int64_t begin, std::int64_t generation,
                              std::string& whole) {
  const auto total = static_cast<std::int64_t>(whole.size());
  const auto ranges = (total - begin + kWholeRange - 1) / kWholeRange;
  const int readers =
      static_cast<int>(std::min<std::int64_t>(kGcsReadsInFlight, ranges));
  std::vector<absl::Status> statuses(readers);
  std::vector<char> gone(readers, 0);
  const auto read = [&](int reader) {
    for (std::int64_t at = begin + reader * kWholeRange; at < total;
         at += readers * kWholeRange) {
      auto part = ReadGcsRange(client, name, at,
                               std::min(kWholeRange, total - at), generation);
      statuses[reader] = part.status();
      if (!part.ok()) return;
      if (!part->has_value() || (*part)->total != total) {
        gone[reader] = 1;
        return;
      }
      std::copy((*part)->bytes.begin(), (*part)->bytes.end(),
                whole.begin() + at);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < readers; ++i) threads.emplace_back(read, i);
    if (readers > 0) read(0);
  }
  for (const absl::Status& status : statuses) PODSIM_RETURN_IF_ERROR(status);
  return std::find(gone.begin(), gone.end(), 1) == gone.end();
}

absl::Status TooLarge(const GcsName& name, std::int64_t total) {
  return absl::ResourceExhaustedError(
      absl::StrCat("read ", name.uri(), ": the store says that it has ", total,
                   " bytes, more than this process has memory for"));
}

// Before there is room for all of a large object: the answer that said how
// large it is, against the object itself.
absl::Status CheckTotal(GcsClient& client, const GcsName& name,
                        const GcsBytes& first) {
  if (first.total <= kSurelyFits) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(client, name));
  // Another by now, or gone: its ranges will tell.
  if (object && object->size != first.total &&
      (first.generation == 0 || object->generation == first.generation))
    return absl::UnavailableError(
        absl::StrCat("read ", name.uri(), ": an answer says that it has ",
                     first.total, " bytes, it has ", object->size));
  const std::int64_t memory =
      static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
      sysconf(_SC_PAGESIZE);
  return first.total > memory ? TooLarge(name, first.total) : absl::OkStatus();
}

// The library says by an exception that there is none.
absl::Status MakeRoom(const GcsName& name, std::int64_t total,
                      std::string& whole) {
  try {
    whole.resize(static_cast<std::size_t>(total));
  } catch (const std::exception&) {
    return TooLarge(name, total);
  }
  return absl::OkStatus();
}

// Against what the read said of it, or the object itself. Errors: DATA_LOSS (it
// is another), those of StatGcs.
absl::Status CheckWhole(GcsClient& client, const GcsName& name,
                        const std::string& whole,
                        const std::optional<std::uint32_t>& told) {
  const auto size = static_cast<std::int64_t>(whole.size());
  // What came in one range was compared as it came.
  if (told)
    return size <= kWholeRange ? absl::OkStatus() : CheckGcsSum(whole, told);
  PODSIM_ASSIGN_OR_RETURN(const auto object, StatGcs(client, name));
  if (object && object->size == size) return CheckGcsSum(whole, object->crc32c);
  return absl::DataLossError(
      absl::StrCat(size, " bytes came, and the store has ",
                   object ? absl::StrCat(object->size) : std::string("none")));
}

// Why an object is to be read anew, and how often that may be.
struct Anew {
  std::string why;
  int most = kReplacements;
};

// Of one that was not whole as it was begun: replaced since, unless the store
// still has it so, or of another sum.
absl::StatusOr<Anew> WhyAnew(GcsClient& client, const GcsName& name,
                             const GcsBytes& first, const absl::Status& sum) {
  if (!sum.ok() && !absl::IsDataLoss(sum)) return sum;
  if (!sum.ok())
    return Anew{.why = std::string(sum.message()), .most = kGcsDenials};
  PODSIM_ASSIGN_OR_RETURN(const auto there, StatGcs(client, name));
  if (there && there->size == first.total &&
      (first.generation == 0 || there->generation == first.generation))
    return Anew{
        .why = absl::StrCat("the store said another size than its ",
                            first.total, " bytes, or denied a part of them"),
        .most = kGcsDenials};
  return Anew{.why = "it was replaced meanwhile"};
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadGcsObject(GcsClient& client,
                                                         const GcsName& name) {
  GcsHeadway headway(client, "read " + name.uri());
  for (;;) {
    PODSIM_ASSIGN_OR_RETURN(std::optional<GcsBytes> first,
                            ReadGcsRange(client, name, 0, kWholeRange, 0));
    if (!first) return std::optional<std::string>();
    std::string whole = std::move(first->bytes);
    const auto begin = static_cast<std::int64_t>(whole.size());
    bool same = true;
    if (begin < first->total) {
      PODSIM_RETURN_IF_ERROR(CheckTotal(client, name, *first));
      PODSIM_RETURN_IF_ERROR(MakeRoom(name, first->total, whole));
      PODSIM_ASSIGN_OR_RETURN(
          same, ReadRest(client, name, begin, first->generation, whole));
    }
    absl::Status sum;
    if (same) sum = CheckWhole(client, name, whole, first->crc32c);
    if (same && sum.ok()) return std::optional(std::move(whole));
    PODSIM_ASSIGN_OR_RETURN(const Anew anew,
                            WhyAnew(client, name, *first, sum));
    PODSIM_RETURN_IF_ERROR(headway.Stuck(anew.why, anew.most));
  }
}

}  // namespace podsim
