# Headers that most sources include, read once instead of a thousand times.
# Every source still includes what it uses: clang reads them without these.
#   podsim_pch       libraries
#   podsim_grpc_pch  libraries that speak gRPC
#   podsim_test_pch  test programs (position independent as programs are, which
#                    makes it another file)
#   podsim_grpc_test_pch
set(common <algorithm> <cstdint> <functional> <map> <memory> <optional> <span>
  <string> <string_view> <vector> <absl/status/statusor.h>
  <absl/strings/str_cat.h>)
# What every generated header of a message begins with: 1 s of 2.7 for job.pb.h.
set(messages <google/protobuf/descriptor.pb.h> <google/protobuf/extension_set.h>
  <google/protobuf/generated_enum_reflection.h>
  <google/protobuf/generated_message_reflection.h>
  <google/protobuf/map_entry.h> <google/protobuf/map_field_inl.h>
  <google/protobuf/unknown_field_set.h>)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/pch/library.cc CONTENT "")
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/pch/program.cc
  CONTENT "int main() {}\n")

function(podsim_pch_target target)
  cmake_parse_arguments(ARG "" "" "DEPS;HEADERS" ${ARGN})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} absl::statusor
    absl::strings protobuf::libprotobuf podsim_options)
  target_precompile_headers(${target} PRIVATE ${common} ${messages}
    ${ARG_HEADERS})
endfunction()

add_library(podsim_pch OBJECT ${PROJECT_BINARY_DIR}/pch/library.cc)
podsim_pch_target(podsim_pch)
if(PODSIM_GRPC)
  add_library(podsim_grpc_pch OBJECT ${PROJECT_BINARY_DIR}/pch/library.cc)
  podsim_pch_target(podsim_grpc_pch DEPS gRPC::grpc++
    HEADERS <grpcpp/grpcpp.h>)
endif()
if(PODSIM_TESTS)
  add_executable(podsim_test_pch EXCLUDE_FROM_ALL
    ${PROJECT_BINARY_DIR}/pch/program.cc)
  podsim_pch_target(podsim_test_pch DEPS GTest::gmock podsim_test_options
    HEADERS <gmock/gmock.h> <gtest/gtest.h>)
  if(PODSIM_GRPC)
    add_executable(podsim_grpc_test_pch EXCLUDE_FROM_ALL
      ${PROJECT_BINARY_DIR}/pch/program.cc)
    podsim_pch_target(podsim_grpc_test_pch DEPS GTest::gmock gRPC::grpc++
      podsim_test_options HEADERS <gmock/gmock.h> <gtest/gtest.h> <grpcpp/grpcpp.h>)
  endif()
endif()
