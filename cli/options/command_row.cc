#include "cli/options/command_row.h"

namespace paddock::cli {

std::string long_name(const OptionRow& option) {
  const size_t start = option.names.find("--") + 2;
  return option.names.substr(start, option.names.find(',', start) - start);
}

}  // namespace paddock::cli
