#include "cli/options/run_path.h"

#include <vector>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"

namespace paddock::cli {

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

bool is_run_path(const std::string& text) {
  return text.find(':') != std::string::npos && !text.starts_with('/') && !text.starts_with('.');
}

Result<RunPath> parse_put_path(const std::string& text, const std::string& name,
                               const std::string& argument) {
  ASSIGN_OR_RETURN(RunPath out, parse_run_path(text, argument));
  if (out.path.empty()) {
    out.path = name;
  } else if (text.ends_with('/')) {
    out.path += "/" + name;
  }
  if (is_plain_name(name)) return out;
  return invalid_argument("USAGE", "name the file that goes into the run", argument);
}

Result<RunPath> parse_run_path(const std::string& text, const std::string& argument) {
  const size_t colon = text.find(':');
  RunPath out{text.substr(0, colon), {}};
  if (out.run.empty())
    return invalid_argument("USAGE", cat("`", text, "` names no run: RUN:PATH"), argument);
  std::string path = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  const std::string workspace{contracts::kSandboxWorkspace};
  if (path == workspace || path.starts_with(workspace + "/")) {
    path.erase(0, workspace.size());
  } else if (path.starts_with('/')) {
    return invalid_argument(
        "USAGE",
        cat("`", path, "` is not in the run's workspace, ", workspace, ": nothing else is shown"),
        argument);
  }
  std::vector<std::string> parts;
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (!is_plain_name(part))
      return invalid_argument("USAGE", cat("`", path, "` leads out of the run's workspace"),
                              argument);
    parts.push_back(part);
  }
  out.path = join(parts, "/");
  return out;
}

}  // namespace paddock::cli
