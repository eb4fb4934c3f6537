# Third-party libraries, all from Debian. Each is named in the LIBS of one module only.
find_package(Threads REQUIRED)
if(APPLE)
  include(${CMAKE_CURRENT_LIST_DIR}/DarwinLibraries.cmake)
  return()
endif()
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(CURL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(EXPAT REQUIRED)
find_package(yaml-cpp REQUIRED)
find_library(YAML_CPP_ARCHIVE libyaml-cpp.a REQUIRED)  # common/wire is also in the static launcher
set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION_NONE ${YAML_CPP_ARCHIVE})
if(PADDOCK_TESTS)
  find_package(GTest REQUIRED)
  add_library(test_framework INTERFACE)
  target_link_libraries(test_framework INTERFACE GTest::gmock_main)
  # EXPECT_EQ(error.reason, "WORD") compares by it.
  target_compile_options(test_framework INTERFACE
    -include ${PROJECT_SOURCE_DIR}/common/base/reason_test_support.h)
endif()
find_package(CLI11 REQUIRED)

add_library(rapidjson INTERFACE)  # header-only; Debian's package defines no target

pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
add_library(zstd INTERFACE)
target_link_libraries(zstd INTERFACE PkgConfig::ZSTD)

pkg_check_modules(LIBPQ REQUIRED IMPORTED_TARGET libpq)
add_library(libpq INTERFACE)
target_link_libraries(libpq INTERFACE PkgConfig::LIBPQ)

find_library(WSLAY wslay REQUIRED)  # Debian's package has no file for pkg-config
add_library(wslay INTERFACE)
target_link_libraries(wslay INTERFACE ${WSLAY})

# The controller's allocator; sanitizers bring their own.
add_library(allocator INTERFACE)
if(NOT PADDOCK_SANITIZE AND NOT PADDOCK_FUZZ)
  pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
  target_link_libraries(allocator INTERFACE PkgConfig::JEMALLOC)
endif()

pkg_check_modules(SECCOMP REQUIRED libseccomp)
add_library(seccomp INTERFACE)
target_link_libraries(seccomp INTERFACE -l:libseccomp.a)  # the launcher is static

add_library(cli11 INTERFACE)
target_link_libraries(cli11 INTERFACE CLI11::CLI11)
