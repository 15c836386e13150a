#include "interconnect/topology/wrap.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace podsim {
namespace {

constexpr const char* kAxisNames[] = {"x", "y", "z"};
// Shorter axes have no wrap by the rule of v4 and its like, nor is a shorter
// slice offered twisted.
constexpr int kShortestWrap = 4;
constexpr int kWrapOf16 = 16;

// Of as many axes as the pod has.
bool AllFromFour(const Generation& generation, const Slice& slice) {
  const auto sizes = slice.grid.axes();
  return std::all_of(sizes.begin(), sizes.begin() + generation.pod_size(),
                     [](int size) { return size >= kShortestWrap; });
}

bool WrapsByRule(const Generation& generation, const Slice& slice, int axis) {
  const int length = slice.grid.axes()[axis];
  switch (generation.wrap_rule()) {
    case SPANS_POD:
      return axis < generation.pod_size() && length > 1 &&
             length == generation.pod(axis);
    case ALL_FROM_FOUR:
      return AllFromFour(generation, slice);
    case AXIS_OF_16:
      return length == kWrapOf16;
    default:
      return false;
  }
}

bool IsPod(const Generation& generation, const Slice& slice) {
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const int pod = axis < generation.pod_size() ? generation.pod(axis) : 1;
    if (slice.grid.axes()[axis] != pod) return false;
  }
  return true;
}

std::string WrappingAxes(const Slice& slice) {
  std::vector<const char*> names;
  for (int axis = 0; axis < kMostAxes; ++axis)
    if (slice.wraps[axis]) names.push_back(kAxisNames[axis]);
  return absl::StrJoin(names, " and ");
}

// "assumed: no axis spans the pod".
std::string SpanText(const Slice& slice) {
  const std::string axes = WrappingAxes(slice);
  return axes.empty() ? "assumed: no axis spans the pod"
                      : absl::StrCat("assumed: ", axes,
                                     " wraps because it spans the pod");
}

std::string RuleText(const Generation& generation, const Slice& slice) {
  const std::string source =
      generation.wrap_source().empty()
          ? ""
          : absl::StrCat(" (", generation.wrap_source(), ")");
  switch (generation.wrap_rule()) {
    case ALL_FROM_FOUR:
      return absl::StrCat("by rule: all axes wrap where each has 4 chips or ",
                          "more, else none", source);
    case AXIS_OF_16:
      return absl::StrCat("by rule: an axis wraps where it has 16 chips",
                          source);
    case SPANS_POD:
      return absl::StrCat(SpanText(slice), "; ",
                          generation.wrap_doubt().empty()
                              ? "that parts of a pod do so is not published"
                              : generation.wrap_doubt());
    default:
      return "by rule: no axis wraps";
  }
}

std::string AutoNote(const Generation& generation, const Slice& slice) {
  if (generation.wrap_rule() == SPANS_POD && IsPod(generation, slice))
    return absl::StrCat("sure: a full ", slice.generation, " pod is a ",
                        slice.grid_text(), " torus (Cloud TPU documentation)");
  return RuleText(generation, slice);
}

// n x n x 2n or n x 2n x 2n with n of 4 or more.
bool HasShapeOfTwist(const GridSize& grid) {
  return grid.x >= kShortestWrap && grid.z == 2 * grid.x &&
         (grid.y == grid.x || grid.y == grid.z);
}

absl::Status Twist(const Generation& generation, Slice& slice) {
  const bool wraps = slice.wraps[0] && slice.wraps[1] && slice.wraps[2];
  if (!generation.twists() || !HasShapeOfTwist(slice.grid) || !wraps) {
    return absl::InvalidArgumentError(absl::StrCat(
        "twist: ", slice.name, " is ", slice.grid_text(),
        "; v4 and v5p slices of n x n x 2n or n x 2n x 2n chips that wrap, n "
        "at least 4, are offered twisted: 4x4x8, 4x8x8, 8x8x16, 8x16x16; give "
        "such a slice, as v4-256, or leave twist out"));
  }
  slice.twisted = true;
  absl::StrAppend(&slice.wrap_note,
                  "; twisted as asked: around a short axis the way ends half "
                  "of each long axis further");
  return absl::OkStatus();
}

}  // namespace

absl::Status SetWrap(const Generation& generation, const SliceOptions& options,
                     Slice& slice) {
  for (int axis = 0; axis < kMostAxes; ++axis) {
    const bool long_enough = slice.grid.axes()[axis] > 1;
    slice.wraps[axis] = options.wrap == WrapPolicy::kAuto
                            ? WrapsByRule(generation, slice, axis)
                            : options.wrap == WrapPolicy::kTorus && long_enough;
  }
  slice.wrap_note =
      options.wrap == WrapPolicy::kAuto    ? AutoNote(generation, slice)
      : options.wrap == WrapPolicy::kTorus ? "as asked: --wrap=torus"
                                           : "as asked: --wrap=mesh";
  return options.twist ? Twist(generation, slice) : absl::OkStatus();
}

}  // namespace podsim
