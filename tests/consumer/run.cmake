# Runs the commands of docs/own-model.md against this build, as its reader would
# at home, and compares the pieces of code shown there with the consumer's.
#
#   cmake -DBUILD=... -DROOT=... -DWORK=... -DCXX=... -DFLAGS=... -P run.cmake
cmake_minimum_required(VERSION 3.25)
foreach(name BUILD ROOT WORK CXX)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "-D${name} is missing")
  endif()
endforeach()
file(READ ${ROOT}/docs/own-model.md doc)

# take_block(<language> <result>): the document's next block in it, taken out;
# empty: there is none.
function(take_block language result)
  set(fence "```${language}\n")
  string(FIND "${doc}" "${fence}" begin)
  if(begin EQUAL -1)
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  string(LENGTH "${fence}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${doc}" ${begin} -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} block)
  string(SUBSTRING "${rest}" ${end} -1 rest)
  set(${result} "${block}" PARENT_SCOPE)
  set(doc "${rest}" PARENT_SCOPE)
endfunction()

# check_shown(<language> <file>): all blocks in it stand in the file like that.
function(check_shown language file)
  file(READ ${ROOT}/tests/consumer/${file} code)
  set(shown 0)
  while(TRUE)
    take_block(${language} block)
    if(block STREQUAL "")
      break()
    endif()
    math(EXPR shown "${shown} + 1")
    string(FIND "${code}" "${block}" found)
    if(found EQUAL -1)
      message(FATAL_ERROR
        "docs/own-model.md shows what is not in ${file}:\n${block}")
    endif()
  endwhile()
  if(shown EQUAL 0)
    message(FATAL_ERROR "docs/own-model.md shows nothing of ${file}")
  endif()
endfunction()

check_shown(cpp main.cc)
file(READ ${ROOT}/docs/own-model.md doc)
check_shown(cmake CMakeLists.txt)
file(READ ${ROOT}/docs/own-model.md doc)
take_block(sh commands)
if(commands STREQUAL "")
  message(FATAL_ERROR "docs/own-model.md has no commands")
endif()

# A home of its own, and podsim's directory with this build in build/release.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/home ${WORK}/podsim/build)
file(CREATE_LINK ${BUILD} ${WORK}/podsim/build/release SYMBOLIC)
file(CREATE_LINK ${ROOT}/tests ${WORK}/podsim/tests SYMBOLIC)
file(WRITE ${WORK}/commands.sh "set -e\n${commands}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env HOME=${WORK}/home CXX=${CXX}
    "CXXFLAGS=${FLAGS}" CMAKE_GENERATOR=Ninja sh -x ${WORK}/commands.sh
  WORKING_DIRECTORY ${WORK}/podsim
  COMMAND_ERROR_IS_FATAL ANY)
