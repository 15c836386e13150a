# The helpers every folder's CMakeLists.txt is written with: one library per
# folder (podsim::<name>), one test program per folder, mains in bin/.

# Every test program that ThreadSanitizer is to run.
add_custom_target(podsim_threads_tests)

add_library(podsim_options INTERFACE)
target_compile_options(podsim_options INTERFACE
  -Wall -Wextra -Wno-sign-compare -Wno-missing-field-initializers
  # Plans and simulated times are the same bits on every machine.
  -ffp-contract=off
  # A failed check names its source by the path in this tree, so that another clone
  # may use what ccache kept of this one.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  # A compiler looks for memory to use again only once it has 1 GB: a test's source took
  # 9.8 s of CPU and 7.9 s so, 40 MB more.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>
  $<$<BOOL:${PODSIM_WERROR}>:-Werror>
  # As podsim_proto has it: what is precompiled must agree.
  -Uunix)

# A test's own code need not be fast, and compiles in two thirds of the time; with
# UndefinedBehaviorSanitizer in a third less again without any optimization.
set(PODSIM_TEST_OPTIMIZATION -O1 CACHE STRING "Of a test's own code")
add_library(podsim_test_options INTERFACE)
target_compile_options(podsim_test_options INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:PODSIM_BUSY>>,-O1,${PODSIM_TEST_OPTIMIZATION}>)
# The sanitizer of undefined behaviour watches what is tested: in the tests' own code it
# takes half of the compiler's time (35 s of CPU, 19 s without, for a settings_test).
if(CMAKE_CXX_FLAGS MATCHES "undefined")
  target_compile_options(podsim_test_options INTERFACE -fno-sanitize=undefined)
endif()
target_link_libraries(podsim_test_options INTERFACE podsim_options)
include(PodsimPch)

# podsim_library(<name> SOURCES ... HEADERS ... DEPS ... PRIVATE_DEPS ...
#                [USES_GRPC] [TEXT])
# DEPS are what the folder's headers need; PRIVATE_DEPS what only its .cc need.
# USES_GRPC: its sources include gRPC's headers. TEXT: it decides, reads and writes, and
# has no loop over numbers worth optimizing: -O1 is enough, and compiles faster than -O3
# (settings' largest unit: 10.7 s instead of 20.1).
function(podsim_library name)
  cmake_parse_arguments(ARG "USES_GRPC;TEXT" ""
    "SOURCES;HEADERS;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(podsim_${name} STATIC ${ARG_SOURCES})
  add_library(podsim::${name} ALIAS podsim_${name})
  target_sources(podsim_${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_compile_features(podsim_${name} PUBLIC cxx_std_20)
  target_link_libraries(podsim_${name} PUBLIC ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:podsim_options>)
  if(ARG_TEXT)
    target_compile_options(podsim_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(ARG_USES_GRPC)
    target_precompile_headers(podsim_${name} REUSE_FROM podsim_grpc_pch)
  else()
    target_precompile_headers(podsim_${name} REUSE_FROM podsim_pch)
  endif()
  set_target_properties(podsim_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY PODSIM_LIBRARIES podsim_${name})
endfunction()

# podsim_program(<name> SOURCES ... DEPS ...): a main, installed in bin. The calls are
# the one list of programs: `podsim_programs` builds them all, and the build
# tree's programs.txt names them for the wheel.
add_custom_target(podsim_programs)
function(podsim_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} podsim_options)
  if(PODSIM_PORTABLE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/base/arc4random.cc)
    target_link_options(${name} PRIVATE -static-libstdc++)
  endif()
  add_dependencies(podsim_programs ${name})
  set_property(GLOBAL APPEND PROPERTY PODSIM_PROGRAMS ${name})
endfunction()

# podsim_test(<name> LABEL unit|pod|grpc|e2e|slow SOURCES ... DEPS ...
#             [TIMEOUT s] [ENVIRONMENT k=v ...] [SERIAL] [PODS] [WAITS] [THREADS]
#             [USES_GRPC] [BUSY] [TEXT] [SHARDS n])
# One GoogleTest program, one test of ctest; of a long one SHARDS, each with its part of
# the cases, run beside each other: <name>_1 to <name>_n. THREADS: what it tests runs threads
# and needs no gRPC, so ThreadSanitizer runs it too: label
# `threads`, target podsim_threads_tests. BUSY: its own code is what takes its time,
# and is optimized in every build. PODS: it starts pods of real processes, which mostly
# wait for each other: one such test at a time, begun before those that keep a CPU
# busy, beside which it runs. WAITS: so do those that above all wait, in a row of their
# own. TEXT: what it tests is text, plans and files, of which another compiler's
# optimization says nothing new: without PODSIM_TEXT_TESTS it is neither built nor run.
option(PODSIM_TEXT_TESTS "Build and run the tests of text, plans and files too" ON)
function(podsim_test name)
  cmake_parse_arguments(ARG "SERIAL;PODS;WAITS;THREADS;USES_GRPC;BUSY;TEXT"
    "LABEL;TIMEOUT;SHARDS" "SOURCES;DEPS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} podsim::testing
    GTest::gmock GTest::gtest_main podsim_test_options)
  if(ARG_BUSY AND NOT PODSIM_TEST_OPTIMIZATION STREQUAL "-O1")
    # What is precompiled is compiled otherwise.
    set_target_properties(${name} PROPERTIES PODSIM_BUSY ON)
  elseif(ARG_USES_GRPC)
    target_precompile_headers(${name} REUSE_FROM podsim_grpc_test_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM podsim_test_pch)
  endif()
  if(ARG_TEXT AND NOT PODSIM_TEXT_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  set(tests ${name})
  set(environment ${ARG_ENVIRONMENT})
  if(ARG_SHARDS)
    list(TRANSFORM tests APPEND _1)
    foreach(shard RANGE 2 ${ARG_SHARDS})
      list(APPEND tests ${name}_${shard})
    endforeach()
  endif()
  foreach(test IN LISTS tests)
    if(ARG_SHARDS)
      list(FIND tests ${test} index)
      set(environment ${ARG_ENVIRONMENT} GTEST_TOTAL_SHARDS=${ARG_SHARDS}
        GTEST_SHARD_INDEX=${index})
    endif()
    add_test(NAME ${test} COMMAND ${name})
    set_tests_properties(${test} PROPERTIES LABELS ${ARG_LABEL}
      TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${environment}")
  endforeach()
  if(ARG_SERIAL)
    set_tests_properties(${tests} PROPERTIES RUN_SERIAL ON)
  endif()
  if(ARG_PODS)
    set_tests_properties(${tests} PROPERTIES RESOURCE_LOCK pods COST 1000)
  endif()
  if(ARG_WAITS)
    set_tests_properties(${tests} PROPERTIES RESOURCE_LOCK waits COST 1000)
  endif()
  if(ARG_THREADS)
    set_property(TEST ${tests} APPEND PROPERTY LABELS threads)
    add_dependencies(podsim_threads_tests ${name})
  endif()
endfunction()
