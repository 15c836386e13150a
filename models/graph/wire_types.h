// What models and Programs share as messages: types, attributes, constants.
#ifndef PODSIM_MODELS_GRAPH_WIRE_TYPES_H_
#define PODSIM_MODELS_GRAPH_WIRE_TYPES_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/ops/op.h"
#include "models/ops/value_type.h"
#include "proto/model.pb.h"

namespace podsim {

// Larger constants stand once in a message, by their hash.
inline constexpr std::size_t kMostInlineBytes = 1 << 20;

// Collects a message's large constants while attributes are written.
class ConstantWriter {
 public:
  void Write(const OpAttributes& from, AttributesProto& to);
  // What a variable of that shape begins with.
  AttributesProto WriteInitial(const Shape& shape,
                               std::shared_ptr<const std::string> data);
  // In the order of the hashes.
  void Finish(ModelProto& to) &&;

 private:
  std::map<std::string, std::shared_ptr<const std::string>> by_hash_;
};

// A message's constants, checked, while attributes are read.
class ConstantReader {
 public:
  // Each is as large and has the hash that it says, in order. `from` outlives
  // this.
  absl::Status Read(const ModelProto& from);

  // Everything that can be said without the op: types, names and ranges.
  absl::Status Check(const AttributesProto& attributes);
  // Of a variable of that shape, if it has one.
  absl::Status CheckInitial(bool has, const AttributesProto& initial,
                            bool has_initializer, const Shape& shape);
  // REQUIRES: Check passed.
  OpAttributes Attributes(const AttributesProto& from);
  // Whether somebody read each.
  absl::Status CheckAllRead() const;

 private:
  absl::Status CheckData(const AttributesProto& attributes);

  struct Constant {
    const std::string* bytes = nullptr;         // in the message
    std::shared_ptr<const std::string> shared;  // made when it is asked for
  };

  std::map<std::string, Constant, std::less<>> by_hash_;
  std::set<std::string, std::less<>> read_;
};

TypeProto ToProto(const ValueType& type);
// REQUIRES: CheckType passed.
ValueType TypeFrom(const TypeProto& type);
Shape ShapeFrom(const ShapeProto& shape);

absl::Status CheckShape(const ShapeProto& shape);
absl::Status CheckType(const TypeProto& type);

// "the name is empty": not empty, at most `most` bytes, on one line as it is.
absl::Status CheckName(std::string_view name, std::size_t most = 1024);

// The bytes that a message's hash is of.
std::string DeterministicBytes(const google::protobuf::Message& message);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_WIRE_TYPES_H_
