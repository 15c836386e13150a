// A model as a message, and back.
//
//   PODSIM_ASSIGN_OR_RETURN(const ModelProto model, ToProto(graph, input));
//   file << ModelBytes(model);
//   ...
//   PODSIM_ASSIGN_OR_RETURN(const ModelProto model, ParseModel(bytes));
//   PODSIM_ASSIGN_OR_RETURN(Model parts, FromProto(model));
#ifndef PODSIM_MODELS_GRAPH_SERIALIZE_MODEL_H_
#define PODSIM_MODELS_GRAPH_SERIALIZE_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/graph/compile.h"
#include "models/graph/graph.h"
#include "proto/model.pb.h"

namespace podsim {

inline constexpr int kModelVersion = 1;
inline constexpr std::int64_t kMostModelBytes = std::int64_t{256} << 20;

struct Model {
  Graph graph;
  CompileInput input;  // without an update: the job says which
};

// What `input` wants of `graph`; its update is left out, and its "correct" is
// the metric "accuracy" as for Compile. Equal models give equal messages.
// Errors: INVALID_ARGUMENT (the graph's first error; a value of another graph;
//   those of VerifyModel).
absl::StatusOr<ModelProto> ToProto(const Graph& graph,
                                   const CompileInput& input);

// Errors: those of VerifyModel; INVALID_ARGUMENT (a Program).
absl::StatusOr<Model> FromProto(const ModelProto& model);

// A file's bytes, of either stage, and their SHA-256 as 64 hex digits: equal
// messages, equal bytes.
std::string ModelBytes(const ModelProto& model);
std::string ModelHash(const ModelProto& model);

// A file's message, of which nothing is checked but that it is one. Errors:
// those of ParseModel.
absl::StatusOr<ModelProto> DecodeModel(std::string_view bytes);

// A file of either stage, all of it checked. Nothing is allocated before it is
// known how much. Errors: INVALID_ARGUMENT, one line: too large, damaged, of
//   another version, or those of VerifyModel.
absl::StatusOr<ModelProto> ParseModel(std::string_view bytes);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_SERIALIZE_MODEL_H_
