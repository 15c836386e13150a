#include "models/import/random_keys.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"

namespace podsim {
namespace {

constexpr std::string_view kRandomBits = "podsim_random_bits";
constexpr std::string_view kFunctions[] = {kRandomBits, "podsim_split",
                                           "podsim_fold_in"};

// How a value was made, as a text of bounded length: the hashes of its
// operands. Shapes are left out: a key for each example is as many as there are
// examples.
std::string DerivationOf(const FlatBuilder& builder, int place,
                         std::map<int, std::string>& known) {
  // Operands come first, and most are not keys: a loop, no recursion.
  std::vector<int> stack = {place};
  while (!stack.empty()) {
    const int at = stack.back();
    const FlatOp& op = builder.op(at);
    std::size_t missing = 0;
    for (const int operand : op.operands)
      if (!known.contains(operand)) {
        stack.push_back(operand);
        ++missing;
      }
    if (missing > 0) continue;
    stack.pop_back();
    if (known.contains(at)) continue;
    std::string text = absl::StrCat(
        op.entry == nullptr ? "" : op.entry->name, "|", op.attributes.word, "|",
        std::bit_cast<std::uint64_t>(op.attributes.value), "|",
        op.entry == nullptr && op.operands.empty() ? at : 0);
    for (const auto& [name, list] : op.attributes.lists)
      absl::StrAppend(&text, "|", name, ":", absl::StrJoin(list, ","));
    for (const int operand : op.operands)
      absl::StrAppend(&text, "|", known[operand]);
    if (op.attributes.data != nullptr)
      absl::StrAppend(&text, "|", Sha256Hex(*op.attributes.data));
    known[at] = Sha256Hex(text);
  }
  return known[place];
}

std::int64_t SiteOf(const std::string& derivation) {
  std::int64_t site = 0;
  for (const char digit : derivation.substr(0, 8))
    site = site * 16 + (digit <= '9' ? digit - '0' : digit - 'a' + 10);
  return site & 0x7fffffff;
}

}  // namespace

std::string KeyFunctionOf(const std::string& computation) {
  for (const std::string_view function : kFunctions)
    if (computation.rfind(function, 0) == 0) return std::string(function);
  return "";
}

absl::StatusOr<int> EmitKeyFunction(FlatBuilder& builder,
                                    const std::string& name,
                                    const std::vector<int>& operands,
                                    const ValueType& type) {
  if (operands.empty() || type.dtype != DType::kUint32)
    return absl::InvalidArgumentError(
        "it draws from no key, or other than numbers of 32 bits");
  FlatOp op{.operands = operands, .type = type};
  if (name != kRandomBits) {
    op.attributes.word = name;
    return builder.Opaque(std::move(op));
  }
  std::map<int, std::string> known;
  op.entry = FindOp("random_bits");
  op.attributes.shape = type.shape;
  op.attributes.lists["site"] = {
      SiteOf(DerivationOf(builder, operands[0], known))};
  op.operands.clear();
  return builder.Opaque(std::move(op));
}

}  // namespace podsim
