#include "runtime/report/metrics_place.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "host/storage/uri_store.h"

namespace podsim {

std::string MetricsPath(const JobSpec& spec) {
  if (spec.has_metrics_file()) return spec.metrics_file();
  const std::string& model_dir = spec.model_dir();
  if (model_dir.empty() || !SchemeOf(model_dir).empty() ||
      spec.mode() == words::Mode::eval)
    return "";
  return absl::StrCat(absl::StripSuffix(model_dir, "/"), "/", kMetricsName);
}

}  // namespace podsim
