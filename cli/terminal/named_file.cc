#include "cli/terminal/named_file.h"

#include "common/base/text.h"

namespace paddock::cli {

Error of_named_file(Error error, const std::string& typed) {
  const std::string message = cat("`", typed, "`: ", error.message);
  // What says of the whole file what is wrong, names it as the error now does.
  for (Cause& cause : error.causes)
    if (cause.message == error.message) cause.message = message;
  error.message = message;
  return error;
}

}  // namespace paddock::cli
