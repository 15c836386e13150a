#include "models/graph/wire_types.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostSize = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLeastNumber = std::numeric_limits<std::int32_t>::min();
constexpr int kMostDimensions = 32;
constexpr int kMostLists = 64;
constexpr int kMostNumbers = 4096;
constexpr std::size_t kLongestWord = 64;

absl::Status BadType(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

DTypeProto::Kind KindOf(DType dtype) {
  return static_cast<DTypeProto::Kind>(static_cast<int>(dtype) + 1);
}
static_assert(static_cast<int>(DType::kFloat32) + 1 == DTypeProto::FLOAT32);
static_assert(static_cast<int>(DType::kBFloat16) + 1 == DTypeProto::BFLOAT16);
static_assert(static_cast<int>(DType::kInt32) + 1 == DTypeProto::INT32);
static_assert(static_cast<int>(DType::kUint32) + 1 == DTypeProto::UINT32);
static_assert(static_cast<int>(DType::kUint8) + 1 == DTypeProto::UINT8);
static_assert(static_cast<int>(DType::kBool) + 1 == DTypeProto::BOOL);

DType DTypeOf(DTypeProto::Kind kind) {
  return kind == DTypeProto::UNKNOWN
             ? DType::kFloat32
             : static_cast<DType>(static_cast<int>(kind) - 1);
}

void WriteShape(const Shape& from, ShapeProto& to) {
  to.mutable_dims()->Add(from.dims.begin(), from.dims.end());
  if (from.batch_axis >= 0) to.set_batch_axis(from.batch_axis);
}

bool IsListName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestWord &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

absl::Status CheckList(const IntegerList& list, std::string_view before) {
  if (!IsListName(list.name()))
    return BadType(absl::StrCat("a list is called '",
                                PrintableLine(list.name()),
                                "'; names are of a-z, 0-9 and _"));
  if (list.name() <= before)
    return BadType(absl::StrCat("list ", list.name(), " stands behind ",
                                std::string(before),
                                "; lists are in the order of their names"));
  if (list.values_size() > kMostNumbers)
    return BadType(absl::StrCat(list.name(), " has ", list.values_size(),
                                " numbers, at most ", kMostNumbers,
                                " are allowed"));
  for (const std::int64_t value : list.values())
    if (value < kLeastNumber || value > kMostSize)
      return BadType(absl::StrCat(list.name(), " has ", value,
                                  "; numbers are from -2^31 to 2^31 - 1"));
  return absl::OkStatus();
}

}  // namespace

void ConstantWriter::Write(const OpAttributes& from, AttributesProto& to) {
  if (from.dtype != DType::kFloat32) to.set_element(KindOf(from.dtype));
  if (from.shape != Shape{}) WriteShape(from.shape, *to.mutable_shape());
  to.set_value(from.value);
  to.set_word(from.word);
  for (const auto& [name, values] : from.lists) {
    IntegerList& list = *to.add_lists();
    list.set_name(name);
    list.mutable_values()->Add(values.begin(), values.end());
  }
  if (from.data == nullptr) return;
  if (from.data->size() <= kMostInlineBytes) {
    to.set_data(*from.data);
    return;
  }
  const std::string hash = Sha256Hex(*from.data);
  to.set_data_sha256(hash);
  by_hash_.emplace(hash, from.data);
}

AttributesProto ConstantWriter::WriteInitial(
    const Shape& shape, std::shared_ptr<const std::string> data) {
  OpAttributes attributes;
  attributes.shape = shape;
  attributes.data = std::move(data);
  AttributesProto initial;
  Write(attributes, initial);
  return initial;
}

void ConstantWriter::Finish(ModelProto& to) && {
  for (auto& [hash, data] : by_hash_) {
    ConstantProto& constant = *to.add_constants();
    constant.set_sha256(hash);
    constant.set_data(*data);
  }
}

absl::Status ConstantReader::Read(const ModelProto& from) {
  std::string before;
  for (const ConstantProto& constant : from.constants()) {
    if (constant.data().size() <= kMostInlineBytes)
      return BadType(
          absl::StrCat("a constant has ", constant.data().size(),
                       " bytes; up to 1 MiB they stand where they are "
                       "read"));
    if (Sha256Hex(constant.data()) != constant.sha256())
      return BadType(
          "a constant's bytes are not those of its hash: it is damaged");
    if (constant.sha256() <= before)
      return BadType("constants are not in the order of their hashes");
    before = constant.sha256();
    by_hash_[before].bytes = &constant.data();
  }
  return absl::OkStatus();
}

absl::Status ConstantReader::CheckData(const AttributesProto& attributes) {
  if (attributes.data().empty() && attributes.data_sha256().empty())
    return absl::OkStatus();
  if (!attributes.data().empty() && !attributes.data_sha256().empty())
    return BadType("its data stand both here and under constants");
  if (attributes.data().size() > kMostInlineBytes)
    return BadType(
        "its data are over 1 MiB and stand here, not under constants");
  const auto found = by_hash_.find(attributes.data_sha256());
  if (!attributes.data_sha256().empty() && found == by_hash_.end())
    return BadType("its data are not among the constants");
  const std::size_t size = attributes.data_sha256().empty()
                               ? attributes.data().size()
                               : found->second.bytes->size();
  if (attributes.shape().has_batch_axis())
    return BadType("data of a constant have no batch");
  const auto wanted =
      static_cast<std::size_t>(ShapeFrom(attributes.shape()).elements() *
                               SizeOf(DTypeOf(attributes.element())));
  if (size != wanted)
    return BadType(absl::StrCat("its data have ", size,
                                " bytes, its type takes ", wanted));
  if (!attributes.data_sha256().empty()) read_.insert(found->first);
  return absl::OkStatus();
}

absl::Status ConstantReader::Check(const AttributesProto& attributes) {
  if (!DTypeProto::Kind_IsValid(attributes.element()))
    return BadType("no element type has that number");
  PODSIM_RETURN_IF_ERROR(CheckShape(attributes.shape()));
  if (!attributes.word().empty())
    PODSIM_RETURN_IF_ERROR(
        Annotate(CheckName(attributes.word(), kLongestWord), "its word"));
  if (attributes.lists_size() > kMostLists)
    return BadType(absl::StrCat("it has ", attributes.lists_size(),
                                " lists, at most ", kMostLists,
                                " are allowed"));
  std::string_view before;
  for (const IntegerList& list : attributes.lists()) {
    PODSIM_RETURN_IF_ERROR(CheckList(list, before));
    before = list.name();
  }
  return CheckData(attributes);
}

absl::Status ConstantReader::CheckInitial(bool has,
                                          const AttributesProto& initial,
                                          bool has_initializer,
                                          const Shape& shape) {
  if (!has) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(Annotate(Check(initial), "what it begins with"));
  const bool is_data =
      (!initial.data().empty() || !initial.data_sha256().empty()) &&
      initial.element() == DTypeProto::UNKNOWN && initial.value() == 0 &&
      initial.word().empty() && initial.lists_size() == 0;
  if (!is_data || has_initializer || ShapeFrom(initial.shape()) != shape)
    return BadType(
        absl::StrCat("what it begins with is not data of its shape, ",
                     ToString(shape), ", alone"));
  return absl::OkStatus();
}

OpAttributes ConstantReader::Attributes(const AttributesProto& from) {
  OpAttributes to;
  to.dtype = DTypeOf(from.element());
  to.shape = ShapeFrom(from.shape());
  to.value = from.value();
  to.word = from.word();
  for (const IntegerList& list : from.lists())
    to.lists[list.name()] = {list.values().begin(), list.values().end()};
  if (!from.data().empty())
    to.data = std::make_shared<const std::string>(from.data());
  if (from.data_sha256().empty()) return to;
  Constant& constant = by_hash_.find(from.data_sha256())->second;
  if (constant.shared == nullptr)
    constant.shared = std::make_shared<const std::string>(*constant.bytes);
  to.data = constant.shared;
  return to;
}

absl::Status ConstantReader::CheckAllRead() const {
  for (const auto& [hash, constant] : by_hash_)
    if (!read_.contains(hash))
      return BadType(absl::StrCat("nobody reads the constant ", hash));
  return absl::OkStatus();
}

TypeProto ToProto(const ValueType& type) {
  TypeProto proto;
  proto.set_element(KindOf(type.dtype));
  if (type.shape != Shape{}) WriteShape(type.shape, *proto.mutable_shape());
  return proto;
}

Shape ShapeFrom(const ShapeProto& shape) {
  Shape result;
  result.dims.assign(shape.dims().begin(), shape.dims().end());
  if (shape.has_batch_axis()) result.batch_axis = shape.batch_axis();
  return result;
}

ValueType TypeFrom(const TypeProto& type) {
  return {DTypeOf(type.element()), ShapeFrom(type.shape())};
}

absl::Status CheckShape(const ShapeProto& shape) {
  if (shape.dims_size() > kMostDimensions)
    return BadType(absl::StrCat("a shape has ", shape.dims_size(),
                                " dimensions, at most ", kMostDimensions,
                                " are allowed"));
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape.dims()) {
    if (dim < 1 || dim > kMostSize)
      return BadType(absl::StrCat("a dimension is ", dim,
                                  "; they are from 1 to 2^31 - 1"));
    if (dim > kMostShapeElements / elements)
      return BadType("a shape holds more than 2^40 elements");
    elements *= dim;
  }
  if (shape.has_batch_axis() &&
      (shape.batch_axis() < 0 || shape.batch_axis() >= shape.dims_size()))
    return BadType(absl::StrCat("the batch is dimension ", shape.batch_axis(),
                                " of a shape of ", shape.dims_size()));
  return absl::OkStatus();
}

absl::Status CheckType(const TypeProto& type) {
  if (!DTypeProto::Kind_IsValid(type.element()) ||
      type.element() == DTypeProto::UNKNOWN)
    return BadType(absl::StrCat("no element type has the number ",
                                static_cast<int>(type.element())));
  return CheckShape(type.shape());
}

absl::Status CheckName(std::string_view name, std::size_t most) {
  if (name.empty()) return BadType("it has no name");
  if (name.size() > most)
    return BadType(absl::StrCat("a name has ", name.size(), " bytes, at most ",
                                most, " are allowed"));
  if (PrintableLine(name) != name)
    return BadType(
        absl::StrCat("a name cannot be printed: ", PrintableLine(name)));
  return absl::OkStatus();
}

std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    PODSIM_CHECK(message.SerializeToCodedStream(&coded));
  }
  return bytes;
}

}  // namespace podsim
