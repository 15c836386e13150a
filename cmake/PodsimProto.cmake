# Messages (always) and service stubs (only with gRPC): two libraries, so that
# what needs no gRPC does not link it. Included from the root: generated paths
# are relative to the folder that this runs in.
set(generated ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})

add_library(podsim_proto STATIC proto/bench.proto
  proto/checkpoint.proto proto/choices.proto proto/coordinator.proto
  proto/event.proto proto/faults.proto proto/geography.proto proto/hardware.proto proto/hlo.proto proto/ici.proto proto/import.proto proto/job.proto
  proto/metrics.proto proto/model.proto proto/plan.proto
  proto/program.proto proto/programs.proto proto/setting.proto proto/tensor.proto
  proto/trace.proto proto/watch.proto proto/words.proto
  proto/third_party/perfetto/perfetto_trace.proto
  proto/third_party/tensorboard/event.proto proto/third_party/tensorboard/hparams.proto
  proto/third_party/tensorboard/summary.proto proto/third_party/tensorboard/tensor.proto
  proto/third_party/tpu_info/tpu_metric_service.proto proto/third_party/xprof/xplane.proto)
add_library(podsim::proto ALIAS podsim_proto)
protobuf_generate(TARGET podsim_proto LANGUAGE cpp
  IMPORT_DIRS ${PROJECT_SOURCE_DIR} PROTOC_OUT_DIR ${generated})
target_include_directories(podsim_proto SYSTEM PUBLIC
  $<BUILD_INTERFACE:${generated}> $<INSTALL_INTERFACE:include/podsim>)
target_link_libraries(podsim_proto PUBLIC protobuf::libprotobuf)
target_compile_features(podsim_proto PUBLIC cxx_std_20)
# With GNU's extensions `unix` is a macro; here it is a word.
target_compile_options(podsim_proto PUBLIC -Uunix)
set_target_properties(podsim_proto PROPERTIES
  EXPORT_NAME proto UNITY_BUILD OFF)
set_property(GLOBAL APPEND PROPERTY PODSIM_LIBRARIES podsim_proto)

if(PODSIM_GRPC)
  add_library(podsim_proto_grpc STATIC proto/coordinator.proto
    proto/third_party/tpu_info/tpu_metric_service.proto proto/trace.proto proto/watch.proto)
  add_library(podsim::proto_grpc ALIAS podsim_proto_grpc)
  protobuf_generate(TARGET podsim_proto_grpc LANGUAGE grpc
    GENERATE_EXTENSIONS .grpc.pb.h .grpc.pb.cc
    PLUGIN protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>
    IMPORT_DIRS ${PROJECT_SOURCE_DIR} PROTOC_OUT_DIR ${generated})
  target_link_libraries(podsim_proto_grpc PUBLIC podsim_proto gRPC::grpc++)
  set_target_properties(podsim_proto_grpc PROPERTIES
    EXPORT_NAME proto_grpc UNITY_BUILD OFF)
  set_property(GLOBAL APPEND PROPERTY PODSIM_LIBRARIES podsim_proto_grpc)
endif()
