# Mach-O from Linux with zig's clang, libc++ and Darwin stubs; scripts/ports fetches it. Compiles and
# links; nothing here can run the result. -DPADDOCK_ZIG=/path/to/zig -DPADDOCK_MACOS_CPU=aarch64|x86_64
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${PADDOCK_MACOS_CPU})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PADDOCK_ZIG PADDOCK_MACOS_CPU)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "")

# CMake wants one program per tool.
foreach(tool IN ITEMS c++ ar ranlib)
  set(arguments "${tool}")
  if(tool STREQUAL "c++")
    set(arguments "c++ -target ${PADDOCK_MACOS_CPU}-macos.13.0")
  endif()
  set(program ${CMAKE_BINARY_DIR}/tools/${tool})
  file(CONFIGURE OUTPUT ${program} CONTENT "#!/bin/sh\nexec ${PADDOCK_ZIG} ${arguments} \"$@\"\n")
  file(CHMOD ${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_CXX_COMPILER ${CMAKE_BINARY_DIR}/tools/c++)
set(CMAKE_AR ${CMAKE_BINARY_DIR}/tools/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/tools/ranlib CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL /bin/true CACHE FILEPATH "")
