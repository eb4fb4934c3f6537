# Language standard, warnings, sanitizers, hardening: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT APPLE)  # its compilers do it unasked
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

set(PADDOCK_SANITIZE "" CACHE STRING "address, thread or empty")
set(PADDOCK_COMMON_FLAGS "" CACHE STRING "more flags for the libraries below common/")
option(PADDOCK_FUZZ "Build fuzz targets with libFuzzer (clang)" OFF)
option(PADDOCK_COVERAGE "Count executed lines (clang)" OFF)
option(PADDOCK_BENCH "Build the benchmarks" OFF)
option(PADDOCK_TESTS "Build the tests" ON)
if(APPLE)
  set(PADDOCK_TESTS OFF)  # they are for Linux
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wswitch-enum
  -fstack-protector-strong)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wduplicated-cond -Wlogical-op -Wno-missing-field-initializers)
  if(PADDOCK_BATCH)
    add_compile_options(-Wno-subobject-linkage)  # to gcc all but the first file of a batch are headers
  endif()
else()
  add_compile_options(-Wthread-safety -Wno-missing-field-initializers)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(-fuse-ld=lld)  # a hundred test programs: a quarter of GNU ld's time
  endif()
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
else()
  add_compile_definitions(_FORTIFY_SOURCE=2)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(-Wl,-z,relro,-z,now)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND (PADDOCK_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug"))
  # With optimisation gcc 12 sees these in std::string and std::optional where they are not (gcc bugs
  # 105651, 105562).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
if(PADDOCK_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(PADDOCK_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(PADDOCK_COVERAGE)
  # The programs inside would make this folder in the sandbox's own /tmp, and fill that.
  if(CMAKE_BINARY_DIR MATCHES "^/tmp/")
    message(FATAL_ERROR "a build with coverage counters cannot be below /tmp, where sandboxes have their scratch space")
  endif()
  # The counters are a shared mapping of a file: what a process ran counts however it ends, by _exit,
  # exec or SIGKILL, and although it could not write a file from within its sandbox. Its name is in one object of
  # its own, and the flags are the front end's: ccache lets no clone use another's objects when either is told of
  # to every file.
  set(counted -Xclang -fprofile-instrument=clang -Xclang -fcoverage-mapping -Xclang -fcoverage-compilation-dir=.
    -mllvm -runtime-counter-relocation)
  list(JOIN counted " " counted)
  set(is_counted "$<NOT:$<BOOL:$<TARGET_PROPERTY:PADDOCK_NOT_COUNTED>>>")
  add_compile_options("SHELL:$<${is_counted}:${counted}>")
  add_link_options($<${is_counted}:-fprofile-instr-generate>)
  # What LLVM's profile runtime looks for (https://clang.llvm.org/docs/SourceBasedCodeCoverage.html).
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/profile_name.cc CONTENT [[
extern "C" {
extern const char __llvm_profile_filename[];
const char __llvm_profile_filename[] = "@CMAKE_BINARY_DIR@/profiles/%m%c.profraw";
}
]] @ONLY)
  add_library(profile_name OBJECT ${CMAKE_BINARY_DIR}/profile_name.cc)
  link_libraries(profile_name)
endif()
if(PADDOCK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
