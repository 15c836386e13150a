// What a JSON text has wrong, with its place, in the words of who wrote it.
// Pure.
#ifndef PODSIM_RUNTIME_FILES_JSON_ERROR_H_
#define PODSIM_RUNTIME_FILES_JSON_ERROR_H_

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <optional>
#include <string>

#include "runtime/files/json_scan.h"
#include "runtime/files/text_file.h"

namespace podsim {

// What messages about a text need of it; all of it outlives this.
struct JsonFile {
  const std::string& text;
  const std::string& name;
  const TextKind& kind;
  const google::protobuf::Descriptor& fields;
  const JsonScan& scan;
};

// A field of the outermost object, by either of its names; nullptr: none.
const google::protobuf::FieldDescriptor* OuterField(
    const std::string& name, const google::protobuf::Descriptor& fields);

// "my.json:3:7: ", or "my.json: " without a place.
std::string JsonPrefix(const JsonFile& file, std::optional<std::size_t> at);

// "my.json:3:7: why", for what protobuf's parser of JSON said, where no field
// of the outermost object stands twice.
std::string JsonError(const std::string& message, const JsonFile& file);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_FILES_JSON_ERROR_H_
