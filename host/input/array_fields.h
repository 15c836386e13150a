// Arrays by name whose first dimension counts examples, as a data set.
#ifndef PODSIM_HOST_INPUT_ARRAY_FIELDS_H_
#define PODSIM_HOST_INPUT_ARRAY_FIELDS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/input/dataset.h"
#include "host/input/npy.h"

namespace podsim {

// Bytes, and what keeps them where they are.
struct HeldBytes {
  std::shared_ptr<const void> holder;
  std::string_view bytes;
};
HeldBytes OwnBytes(std::string bytes);

struct ArrayField {
  HeldBytes file;  // a whole .npy
  NpyHeader header;

  // Of an example as it is stored, and as it is read.
  std::size_t stored_bytes() const {
    return static_cast<std::size_t>(header.elements() / header.shape[0] *
                                    header.stored_bytes());
  }
  std::size_t example_bytes() const {
    return static_cast<std::size_t>(header.elements() / header.shape[0] *
                                    SizeOf(header.dtype));
  }
  std::string_view elements() const { return file.bytes.substr(header.begin); }
};
using ArrayFields = std::map<std::string, ArrayField>;

// `path` is for messages. Errors: those of ParseNpy and CheckNpyValues;
//   INVALID_ARGUMENT (no first dimension, another number of examples than the
//   others, too many fields).
absl::Status AddArrayField(const std::string& path, const std::string& name,
                           HeldBytes file, ArrayFields& fields);

// The fingerprint covers names, types and elements as they are read. REQUIRES:
// train has a field. Errors: INVALID_ARGUMENT (eval is not empty and has other
// fields).
absl::StatusOr<std::shared_ptr<const Dataset>> NewArrayDataset(
    const std::string& name, ArrayFields train, ArrayFields eval,
    std::vector<std::string> notes = {});

// A note, if there are no arrays of the eval split, but `directory` has some
// that other data sets would take for it: "test" with `end` behind, "/" of a
// folder or ".npz".
std::vector<std::string> NotesOnEval(const std::string& directory,
                                     const std::string& end, ObjectStore& store,
                                     const ArrayFields& eval);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_ARRAY_FIELDS_H_
