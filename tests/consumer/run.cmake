# Installs this build, then configures, builds and runs the consumer against
# what was installed, as a project elsewhere would.
#
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -DFLAGS=... -P run.cmake
foreach(name BUILD SOURCE WORK CXX)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "-D${name} is missing")
  endif()
endforeach()
file(REMOVE_RECURSE ${WORK})
function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=${FLAGS}")
step(${CMAKE_COMMAND} --build ${WORK}/build)
# Kernels must come from the installed tree.
step(${CMAKE_COMMAND} -E env PODSIM_KERNEL_DIR=${WORK}/prefix/lib/podsim
  ${WORK}/build/consumer)
