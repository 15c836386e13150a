// Votes over hashes; see corruption.h.
#include "runtime/coordinator/corruption.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace podsim {
namespace {

using Hashes = google::protobuf::RepeatedField<std::uint64_t>;

std::string HashText(std::uint64_t hash) {
  return absl::StrFormat("%016x", hash);
}

// The bytes, to be compared as a whole.
std::string Packed(const Hashes& hashes) {
  return std::string(reinterpret_cast<const char*>(hashes.data()),
                     hashes.size() * sizeof(std::uint64_t));
}

// The variable that the hash at `index` is of.
std::string TensorName(const PlanBits& bits, int index) {
  for (const Bucket& bucket : bits.buckets()) {
    if (index < bucket.variables_size()) return bucket.variables(index);
    index -= bucket.variables_size();
  }
  return absl::StrCat("tensor ", index);
}

int FirstDifference(const Hashes& a, const Hashes& b) {
  int index = 0;
  while (index < a.size() && index < b.size() && a[index] == b[index]) ++index;
  return index;
}

std::string HashAt(const Hashes& hashes, int index) {
  return index < hashes.size() ? HashText(hashes[index]) : "none";
}

struct Comparison {
  const char* when;  // "the all-reduce"
  const char* what;  // "gradients"
  const char* meaning;
  const Hashes& (StepReport::*hashes)() const;
};

Corruption Compare(const PlanBits& bits,
                   const std::map<int, StepReport>& reports,
                   const Comparison& comparison) {
  std::vector<std::string> packed;
  std::vector<const StepReport*> by_index;
  for (const auto& [host, report] : reports) {
    packed.push_back(Packed((report.*comparison.hashes)()));
    by_index.push_back(&report);
  }
  const auto odd = FindDissenter(packed);
  if (!odd) return {};
  const StepReport& wrong = *by_index[*odd];
  const StepReport& witness = *by_index[packed[0] != packed[*odd] ? 0 : 1];
  const Hashes& of_wrong = (wrong.*comparison.hashes)();
  const Hashes& of_witness = (witness.*comparison.hashes)();
  const int index = FirstDifference(of_wrong, of_witness);
  return {.status = absl::DataLossError(absl::StrCat(
              "after ", comparison.when, " of step ", wrong.step(), " host ",
              wrong.host(), " has other ", comparison.what, " of ",
              TensorName(bits, index), " (", HashAt(of_wrong, index),
              ") than host ", witness.host(), " (", HashAt(of_witness, index),
              "); they must be equal bit for bit", comparison.meaning)),
          .host = wrong.host()};
}

struct Vote {
  int host = -1;
  std::uint64_t hash = 0;
};

std::string OthersSay(const std::vector<Vote>& votes, int except) {
  std::string text;
  for (const Vote& vote : votes) {
    if (vote.host == except) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", "host ", vote.host, " ",
                    HashText(vote.hash));
  }
  return text;
}

}  // namespace

Corruption CheckReplicas(const PlanBits& bits,
                         const std::map<int, StepReport>& reports) {
  Corruption found = Compare(bits, reports,
                             {.when = "the all-reduce",
                              .what = "gradients",
                              .meaning = ", so the sum went wrong",
                              .hashes = &StepReport::gradient_hashes});
  if (!found.status.ok()) return found;
  return Compare(bits, reports,
                 {.when = "the update",
                  .what = "weights",
                  .meaning = ", so its memory or its update went wrong",
                  .hashes = &StepReport::weights_hashes});
}

Corruption CheckAudit(const std::map<int, StepReport>& reports) {
  std::vector<Vote> votes;
  int audited = -1;
  for (const auto& [host, report] : reports) {
    for (const GradientAudit& audit : report.audits()) {
      votes.push_back({.host = host, .hash = audit.hash()});
      audited = audit.host();
    }
  }
  std::vector<std::string> hashes;
  hashes.reserve(votes.size());
  for (const Vote& vote : votes) hashes.push_back(HashText(vote.hash));
  const auto odd = FindDissenter(hashes);
  if (!odd) return {};
  const std::int64_t step = reports.begin()->second.step();
  if (votes.size() == 2) {
    return {.status = absl::DataLossError(absl::StrCat(
                "audit of step ", step, ": of the gradient of host ", audited,
                " hosts ", votes[0].host, " and ", votes[1].host,
                " compute different bits (", hashes[0], ", ", hashes[1],
                "): one of them computes wrongly; with three processes or more "
                "an audit says which")),
            .host = audited};
  }
  const Vote& wrong = votes[*odd];
  return {.status = absl::DataLossError(
              absl::StrCat("audit of step ", step, ": host ", wrong.host,
                           " computes wrongly: for the gradient of host ",
                           audited, " it has ", HashText(wrong.hash),
                           ", from the same rows and "
                           "weights ",
                           OthersSay(votes, wrong.host))),
          .host = wrong.host};
}

std::optional<int> FindDissenter(const std::vector<std::string>& values) {
  std::map<std::string, int> votes;
  for (const std::string& value : values) ++votes[value];
  if (votes.size() < 2) return std::nullopt;
  // max_element keeps the first of equals: the earliest value wins a tie.
  const auto common = std::max_element(
      values.begin(), values.end(),
      [&](const auto& a, const auto& b) { return votes[a] < votes[b]; });
  const auto odd = std::find_if(values.begin(), values.end(),
                                [&](const auto& v) { return v != *common; });
  return static_cast<int>(odd - values.begin());
}

}  // namespace podsim
