# Programs for machines that have none of the C++ libraries they were built with, as
# a wheel needs them: gRPC, Protobuf, abseil, re2, c-ares and libstdc++ are linked from
# their archives. Debian's shared ones ask for GLIBC_2.36; programs then ask for
# nothing above GLIBC_2.34 (base/arc4random.cc has the one function that is newer).
# libgcc stays shared: its archive asks for GLIBC_2.35, and every Linux has it.
option(PODSIM_PORTABLE "Link the C++ libraries into the programs" OFF)

# podsim_take_archives(): each imported C++ library that has an archive beside it is
# linked from there. Call it where find_package was called.
function(podsim_take_archives)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target ${targets})
    foreach(property IMPORTED_LOCATION IMPORTED_LOCATION_NONE
        IMPORTED_LOCATION_RELEASE)
      get_target_property(library ${target} ${property})
      if(NOT library MATCHES
          "/lib(absl_|grpc|gpr|upb|address_sorting|protobuf|cares).*\\.so")
        continue()
      endif()
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
      if(EXISTS "${archive}")
        set_target_properties(${target} PROPERTIES ${property} "${archive}")
      endif()
    endforeach()
  endforeach()
  # A target of pkg-config names its library by a flag.
  if(TARGET re2::re2)
    get_target_property(flags re2::re2 INTERFACE_LINK_LIBRARIES)
    string(REPLACE "-lre2" "-l:libre2.a" flags "${flags}")
    set_target_properties(re2::re2 PROPERTIES
      INTERFACE_LINK_LIBRARIES "${flags}")
  endif()
endfunction()
