#include "node-agent/sandbox/options.h"

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

Status set_events(std::string_view value, Options& out) {
  if (value.substr(0, 3) != "fd:") {
    out.events = value;
    return {};
  }
  const auto number = parse_integer<int>(value.substr(3));
  if (!number || *number < 0)
    return invalid_argument("USAGE", "--events fd:N needs a descriptor number");
  out.events_fd = *number;
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<char* const> arguments) {
  Options out;
  if (arguments.empty()) return invalid_argument("USAGE", "no mode was given");
  const std::string_view mode = arguments[0];
  if (mode == "probe" && arguments.size() == 1) {
    out.mode = Options::Mode::kProbe;
    return out;
  }
  if (mode != "run") return invalid_argument("USAGE", cat("unknown mode: ", mode));
  for (size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == arguments.size()) return invalid_argument("USAGE", cat(name, " needs a value"));
    const std::string_view value = arguments[i + 1];
    if (name == "--request") {
      out.request = value;
    } else if (name == "--events") {
      TRY(set_events(value, out));
    } else if (name == "--lock") {
      out.lock = value;
    } else {
      return invalid_argument("USAGE", cat("unknown option: ", name));
    }
  }
  if (out.request.empty()) return invalid_argument("USAGE", "--request is missing");
  if (out.events.empty() && out.events_fd < 0)
    return invalid_argument("USAGE", "--events is missing");
  return out;
}

std::string usage() {
  return "usage: paddock-sandbox run --request FILE --events FILE|fd:N [--lock FILE]\n"
         "       paddock-sandbox probe\n";
}

}  // namespace paddock::sandbox
