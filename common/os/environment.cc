#include "common/os/environment.h"

#include <unistd.h>

#include <string_view>

extern char** environ;

namespace paddock::os {

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> out;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos)
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return out;
}

}  // namespace paddock::os
