#include "common/mcp/argument_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "common/base/fault_sentence.h"
#include "common/base/text.h"

namespace paddock::mcp {
namespace {

using wire::Value;

// A field of what the API was sent, and the argument that it was made of.
struct Origin {
  std::string_view field;
  std::string_view argument;
};
constexpr std::array kOrigins = {
    Origin{"spec.sandbox.network.allowDomains", "allowDomains"},
    Origin{"spec.sandbox.network", "allowDomains"},
    Origin{"spec.sandbox.limits.fsBytes", "disk"},
    Origin{"spec.sandbox.limits.fileSize", "disk"},
    Origin{"spec.sandbox.limits.memory", "memory"},
    Origin{"spec.sandbox.limits.pids", "pids"},
    Origin{"spec.sandbox.env", "env"},
    Origin{"spec.resources.accelerators.count", "acceleratorCount"},
    Origin{"spec.resources.accelerators", "accelerator"},
    Origin{"spec.resources.cpu", "cpu"},
    Origin{"spec.resources.memory", "memory"},
    Origin{"spec.artifacts.dirs", "artifactDirs"},
    Origin{"spec.requirements", "requirements"},
    Origin{"spec.workspaceRoot", "workspace"},
    Origin{"spec.workspace", "workspace"},
    Origin{"spec.command", "command"},
    Origin{"spec.timeout", "timeout"},
    Origin{"spec.type", "type"},
    Origin{"spec.security.network.allowDomains", "allowDomains"},
    Origin{"spec.security.network", "allowDomains"},
    Origin{"spec.security.toolAllowlist", "tools"},
    Origin{"spec.security.limits.timeoutMs", "commandTimeoutSeconds"},
    Origin{"spec.security.limits.memoryBytes", "memory"},
    Origin{"spec.security.limits.fsBytes", "disk"},
    Origin{"spec.idleTimeout", "idleMinutes"},
    Origin{"metadata.name", "name"},
};

// The item of a list behind the field, such as `[3]`; nothing of what lies inside of it, or of a
// member, of which the caller knows nothing.
std::string item_of(std::string_view rest) {
  const size_t end = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  return end == std::string_view::npos ? "" : std::string(rest.substr(0, end + 1));
}

// "spec.command[2]" of words that came apart is "args[1]".
std::string word_of(std::string_view rest, const Arguments& given) {
  const std::string item = item_of(rest);
  if (given.find("args") == nullptr || item.empty()) return "command";
  const auto word = parse_integer<int64_t>(std::string_view(item).substr(1, item.size() - 2));
  return word.value_or(0) == 0 ? "command" : cat("args[", *word - 1, "]");
}

// ".SEED" is the item of the list that sets it.
std::string variable_of(std::string_view rest, const Arguments& given) {
  const Value* listed = given.find("env");
  if (listed == nullptr || rest.empty()) return "env";
  const std::string begin = cat(rest.substr(1), "=");
  for (size_t i = 0; i < listed->array()->size(); ++i)
    if ((*listed->array())[i].string()->starts_with(begin)) return cat("env[", i, "]");
  return "env";
}

const Origin* origin_of(std::string_view field) {
  const auto found = std::ranges::find_if(kOrigins, [&](const Origin& each) {
    if (!field.starts_with(each.field)) return false;
    const std::string_view rest = field.substr(each.field.size());
    return rest.empty() || rest[0] == '[' || rest[0] == '.';
  });
  return found == kOrigins.end() ? nullptr : &*found;
}

std::string argument_of(const Origin& origin, std::string_view field, const Arguments& given) {
  const std::string_view rest = field.substr(origin.field.size());
  if (origin.argument == "command") return word_of(rest, given);
  if (origin.argument == "env") return variable_of(rest, given);
  return cat(origin.argument, item_of(rest));
}

}  // namespace

Error as_arguments(Error error, const Arguments& given) {
  if (error.causes.empty()) return error;
  const Cause& front = error.causes.front();
  const bool named = !front.field.empty() && error.message.starts_with(fault_text(front));
  std::vector<Cause> causes;
  struct Told {
    const Origin* origin;
    std::string why;
  };
  std::map<std::string, Told> told_of;  // by argument
  for (Cause& cause : error.causes) {
    const Origin* origin = origin_of(cause.field);
    if (origin != nullptr) cause.field = argument_of(*origin, cause.field, given);
    // An argument that became several fields is wrong in each of them for one reason.
    const std::string why = cause.message.substr(0, cause.message.find(';'));
    const auto [first, is_new] = told_of.emplace(cause.field, Told{origin, why});
    if (!is_new && (first->second.origin != origin || first->second.why == why)) continue;
    causes.push_back(std::move(cause));
  }
  const std::string more = more_faults(error.causes.size());
  const bool others = !more.empty() && error.message.ends_with(more);
  if (others) error.message.resize(error.message.size() - more.size());
  error.causes = std::move(causes);
  if (named) error.message = fault_text(error.causes.front());
  if (named || others) error.message += more_faults(error.causes.size());
  return error;
}

}  // namespace paddock::mcp
