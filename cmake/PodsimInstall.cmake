# `cmake --install` gives programs, kernel modules, libraries, headers and a
# CMake package: find_package(podsim) then podsim::in_process_pod and the others.
# Component "programs" is what a machine that only runs pods needs.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY PODSIM_LIBRARIES)
get_property(programs GLOBAL PROPERTY PODSIM_PROGRAMS)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/podsim)

list(JOIN programs "\n" names)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/programs.txt CONTENT "${names}\n")
get_property(modules GLOBAL PROPERTY PODSIM_KERNEL_MODULES)
list(JOIN modules "\n" names)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/kernels.txt CONTENT "${names}\n")
if(programs)
  install(TARGETS ${programs}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
endif()
install(TARGETS ${libraries} EXPORT podsimTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  FILE_SET HEADERS DESTINATION include/podsim COMPONENT development)
install(TARGETS podsim_isal EXPORT podsimTargets)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/proto DESTINATION
  include/podsim COMPONENT development FILES_MATCHING PATTERN "*.pb.h")
install(FILES proto/bench.proto proto/choices.proto proto/faults.proto
  proto/job.proto proto/metrics.proto proto/model.proto proto/program.proto
  proto/setting.proto proto/tensor.proto proto/words.proto
  DESTINATION include/podsim/proto COMPONENT development)
get_property(completions GLOBAL PROPERTY PODSIM_COMPLETIONS)
install(FILES ${completions}
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  COMPONENT programs)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT programs)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(EXPORT podsimTargets NAMESPACE podsim:: DESTINATION ${package_dir}
  COMPONENT development)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/podsimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/podsimConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/podsimConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/podsimConfig.cmake
  ${PROJECT_BINARY_DIR}/podsimConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)
