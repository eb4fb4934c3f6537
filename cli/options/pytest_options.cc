#include "cli/options/pytest_options.h"

#include "cli/options/names.h"
#include "common/contracts/launch.h"

namespace paddock::cli {
namespace {

// `tests/a_test.py::Class::test` relative to the current folder, which is the workspace inside.
// Never something that pytest would take for an option.
Result<std::string> path_inside(const std::string& cwd, const std::string& text) {
  const size_t selector = text.find("::");
  const std::string path = absolute_path(cwd, text.substr(0, selector));
  const bool below = path == cwd || path.starts_with(cwd == "/" ? cwd : cwd + "/");
  if (text.empty() || !below) {
    return invalid_argument("INVALID_PATH",
                            cat("`", text,
                                "` is not below the current folder, which is all that "
                                "the tests see; change to the project's folder"),
                            "PATH");
  }
  std::string inside = cat(contracts::kSandboxWorkspace, path.substr(cwd == "/" ? 0 : cwd.size()));
  if (selector != std::string::npos) inside += text.substr(selector);
  return inside;
}

// Plain numbers are seconds.
std::string duration_text(const std::string& text) {
  return parse_integer<int64_t>(text) ? cat(text, "s") : text;
}

}  // namespace

Result<Parsed> pytest_as_sandbox_run(const Parsed& parsed, const Env& env) {
  Parsed run{parsed.command, parsed.values};
  run.values.erase("PATH");
  run.values["profile"] = {"test"};
  if (parsed.has("timeout")) run.values["wall-time"] = {duration_text(parsed.text("timeout"))};
  if (const std::string venv = env.var("VIRTUAL_ENV"); venv.starts_with('/'))
    run.values["venv"] = {venv};
  // pytest's cache would be left in the project.
  std::vector<std::string> command = {"python3", "-m", "pytest", "-v", "-p", "no:cacheprovider"};
  for (const std::string& path : parsed.list("PATH")) {
    ASSIGN_OR_RETURN(std::string inside, path_inside(env.cwd, path));
    command.push_back(std::move(inside));
  }
  run.values["CMD"] = std::move(command);
  return run;
}

}  // namespace paddock::cli
