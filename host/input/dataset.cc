#include "host/input/dataset.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "host/input/arrays.h"
#include "host/input/digits.h"
#include "host/input/mnist.h"
#include "host/input/synthetic.h"

namespace podsim {

std::vector<std::string> DatasetNames() {
  return {"arrays", "digits", "mnist", "synthetic"};
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenDataset(
    const DatasetRequest& request, ObjectStore& store) {
  if (request.name == "arrays") return OpenArrays(request.data_dir, store);
  if (request.name == "digits") return OpenDigits();
  if (request.name == "mnist") return OpenMnist(request.data_dir, store);
  if (request.name == "synthetic") return OpenSynthetic(request);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown data set \"", request.name, "\"; known ones are ",
                   absl::StrJoin(DatasetNames(), ", ")));
}

}  // namespace podsim
