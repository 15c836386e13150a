// Any bytes are a model, a Program or an error of one line; a model that was
// read is written and read again as the same bytes, and compiles or says why
// not; a Program that was read is one that can be made again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "models/graph/serialize_model.h"
#include "models/graph/serialize_program.h"
#include "models/zoo/zoo.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto model = podsim::ParseModel(bytes);
  if (!model.ok()) {
    PODSIM_CHECK(absl::IsInvalidArgument(model.status()));
    PODSIM_CHECK(model.status().message().find('\n') ==
                 absl::string_view::npos);
    return 0;
  }
  const std::string written = podsim::ModelBytes(*model);
  const auto again = podsim::ParseModel(written);
  PODSIM_CHECK(again.ok() && podsim::ModelBytes(*again) == written);
  if (model->stage() == podsim::ModelProto::PROGRAM) {
    const auto program = podsim::ProgramFrom(*model);
    PODSIM_CHECK(program.ok());
    const auto made =
        podsim::ParseProgram(podsim::ModelBytes(podsim::ToProto(*program)));
    PODSIM_CHECK(made.ok());
    return 0;
  }
  const auto parts = podsim::FromProto(*model);
  PODSIM_CHECK(parts.ok());
  const auto program = podsim::CompileModel(*model, {});
  PODSIM_CHECK(program.ok() || !program.status().message().empty());
  if (!program.ok()) return 0;
  // Many tensors of 2^40 elements are more than an arena holds.
  const auto made =
      podsim::ParseProgram(podsim::ModelBytes(podsim::ToProto(*program)));
  PODSIM_CHECK(made.ok() ||
               made.status().message().find("2^44") != absl::string_view::npos);
  return 0;
}
