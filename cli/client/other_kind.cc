#include "cli/client/other_kind.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/api_paths.h"

namespace paddock::cli {
namespace {

struct Way {
  Kind kind;  // what there is of the name
  std::string_view command;
  std::string_view before;  // the name
  std::string_view behind;
};
constexpr std::array kWays = {
    Way{Kind::kSandbox, "exec", "paddock sandbox exec ", " -- CMD…"},
    Way{Kind::kSandbox, "files", "paddock sandbox files ", ""},
    Way{Kind::kSandbox, "cp", "paddock sandbox files ", " PATH"},
    Way{Kind::kSandbox, "artifacts", "paddock sandbox files ", ""},
    // Its commands have no log: whoever starts one gets its output.
    Way{Kind::kSandbox, "logs", "paddock sandbox exec ", " -- CMD…"},
    Way{Kind::kSandbox, "events", "paddock get sandbox ", " -w"},
    Way{Kind::kSandbox, "wait", "paddock get sandbox ", " -w"},
    Way{Kind::kSandbox, "cancel", "paddock sandbox destroy ", ""},
    Way{Kind::kSandbox, "get", "paddock get sandbox ", ""},
    Way{Kind::kSandbox, "describe", "paddock describe sandbox ", ""},
    Way{Kind::kRun, "sandbox exec", "paddock exec ", " -- CMD…"},
    Way{Kind::kRun, "sandbox files", "paddock files ", ""},
    Way{Kind::kRun, "sandbox destroy", "paddock cancel ", ""},
    Way{Kind::kRun, "get", "paddock get run ", ""},
    Way{Kind::kRun, "describe", "paddock describe run ", ""},
};

std::string_view said_of(Kind kind) { return kind == Kind::kRun ? "run" : "sandbox session"; }

}  // namespace

std::string way_for(Kind kind, const std::string& command, const std::string& name) {
  const auto* found = std::ranges::find_if(
      kWays, [&](const Way& each) { return each.kind == kind && each.command == command; });
  return found == kWays.end() ? std::string() : cat(found->before, name, found->behind);
}

Error with_other_kind(client::ControllerClient& client, const Parsed& parsed,
                      const std::string& name, Error error) {
  const bool no_run = error.reason == "RUN_NOT_FOUND";
  if (!no_run && error.reason != "SANDBOX_NOT_FOUND") return error;
  const Kind other = no_run ? Kind::kSandbox : Kind::kRun;
  const std::string way = way_for(other, parsed.command, name);
  if (way.empty()) return error;
  const std::string path = contracts::paths::object(parsed.text("namespace", "default"),
                                                    std::string(info(other).plural), name);
  if (client.get(path).ok())
    error.message += cat("; a ", said_of(other), " has this name: `", way, "`");
  return error;
}

}  // namespace paddock::cli
