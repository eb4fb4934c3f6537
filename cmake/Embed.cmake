# embed_files(TARGET FUNCTION [WHOLE_NAMES] FILE...): compiles text files into a target. `FUNCTION()` of
# namespace paddock::contracts gives each file's name (without extension, unless WHOLE_NAMES) and its
# text. A changed file configures again.
function(embed_files target function)
  cmake_parse_arguments(ARG "WHOLE_NAMES" "" "" ${ARGN})
  set(part NAME_WE)
  if(ARG_WHOLE_NAMES)
    set(part NAME)
  endif()
  set(rows "")
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    get_filename_component(name ${file} ${part})
    string(APPEND rows "      {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${function}.cc @ONLY CONTENT
"// Generated from files of the source tree; see cmake/Embed.cmake.
#include <map>
#include <string>

namespace paddock::contracts {
const std::map<std::string, std::string>& @function@();

const std::map<std::string, std::string>& @function@() {
  static const std::map<std::string, std::string> kFiles = {
@rows@  };
  return kFiles;
}
}  // namespace paddock::contracts
")
  foreach(library IN ITEMS ${target} ${target}_static)
    if(TARGET ${library})
      target_sources(${library} PRIVATE ${CMAKE_BINARY_DIR}/generated/${function}.cc)
    endif()
  endforeach()
endfunction()
