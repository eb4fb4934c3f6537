// `paddock cordon`, `uncordon`, `drain` and `taint`.
#include <algorithm>
#include <optional>

#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/drain.h"
#include "common/contracts/node.h"

namespace paddock::cli {
namespace {

using contracts::DrainReport;
using wire::Value;

constexpr const char* kHeld = "/drain?waitMs=5000";  // answered when something changes

std::string node_path(const std::string& node, const char* what) {
  return cat(contracts::paths::node(node), what);
}

Result<int> set_schedulable(Watcher& watcher, const Parsed& parsed, const Env& env,
                            const char* verb, const char* now) {
  ASSIGN_OR_RETURN(const std::string node, name_of(Kind::kNode, parsed.text("NODE")));
  TRY(watcher.client.send("POST", node_path(node, verb), Value::Object{}));
  env.say(cat("node ", node, " is ", now));
  return kExitOk;
}

constexpr size_t kMostNamed = 5;

// "2 runs: default/a, default/b"; of many the first few.
std::string named(std::string_view what, std::vector<std::string> names) {
  const size_t count = names.size();
  if (count > kMostNamed) {
    names.resize(kMostNamed);
    names.push_back(cat("and ", count - kMostNamed, " more"));
  }
  return cat(count, " ", what, count == 1 ? ": " : "s: ", join(names, ", "));
}

// "waiting for 2 runs: default/a (Running, then retried), …; 1 sandbox session: default/s"
std::string waiting_text(const DrainReport& report) {
  std::vector<std::string> runs;
  for (const auto& run : report.waiting_for) {
    runs.push_back(cat(printable(run.name_space), "/", printable(run.name), " (",
                       wire::enum_name(run.phase), ", then ", printable(run.then), ")"));
  }
  std::vector<std::string> sessions;
  for (const auto& each : report.sessions)
    sessions.push_back(cat(printable(each.name_space), "/", printable(each.name)));
  std::vector<std::string> all;
  if (!runs.empty()) all.push_back(named("run", std::move(runs)));
  if (!sessions.empty()) all.push_back(named("sandbox session", std::move(sessions)));
  return cat("waiting for ", join(all, "; "));
}

Result<DrainReport> report_of(const Result<Value>& answer) {
  if (!answer.ok()) return answer.error();
  return wire::decode<DrainReport>(*answer);
}

Result<int> see_empty(Watcher& watcher, const std::string& node, const Env& env, DrainReport report,
                      std::optional<MonoTime> until) {
  std::string said;
  while (!report.drained) {
    if (!report.draining)
      return Error{Code::kFailedPrecondition, "DRAIN_ENDED",
                   "somebody uncordoned the node; it is not drained any more"};
    if (std::string now = waiting_text(report); now != said) env.say(said = std::move(now));
    if (until && env.clock.mono() >= *until) return kExitTimeout;
    Result<DrainReport> next = report_of(watcher.client.get(node_path(node, kHeld)));
    if (!next.ok()) return or_timeout(next.error(), until, env);
    report = std::move(next).value();
  }
  env.say(cat("node ", node, " is empty"));
  return kExitOk;
}

Result<int> drain(Watcher& watcher, const Parsed& parsed, const Env& env,
                  std::optional<Millis> timeout) {
  ASSIGN_OR_RETURN(const std::string node, name_of(Kind::kNode, parsed.text("NODE")));
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  contracts::DrainRequest request;
  ASSIGN_OR_RETURN(const auto grace, wait_option(parsed, "grace"));
  if (grace) request.grace = wire::Wait{*grace};
  const auto answer = watcher.client.send("POST", node_path(node, "/drain"), wire::encode(request));
  ASSIGN_OR_RETURN(const DrainReport report, report_of(answer));
  if (is_document(format)) env.out.write(document_text(*answer, format));
  std::optional<MonoTime> until;
  if (timeout) until = env.clock.mono() + *timeout;
  if (!parsed.has("detach")) return see_empty(watcher, node, env, report, until);
  env.say(report.drained ? "the node is empty" : waiting_text(report));
  return kExitOk;
}

// `key=value:NoSchedule`; the effect may be left out.
Result<contracts::Taint> parse_taint(const std::string& text) {
  contracts::Taint taint;
  const size_t colon = text.rfind(':');
  const std::string mark = text.substr(0, colon);
  if (colon != std::string::npos) taint.effect = text.substr(colon + 1);
  const size_t equals = mark.find('=');
  taint.key = mark.substr(0, equals);
  if (equals != std::string::npos) taint.value = mark.substr(equals + 1);
  if (!taint.key.empty()) return taint;
  return invalid_argument("USAGE", "a taint is KEY=VALUE:NoSchedule", "TAINT");
}

Result<int> taint(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kNode, parsed.text("NODE")));
  ASSIGN_OR_RETURN(const Value stored, watcher.client.get(node_path(name, "")));
  ASSIGN_OR_RETURN(const auto node, wire::decode<contracts::Node>(stored));
  contracts::TaintsRequest request{node.spec.taints};
  for (const std::string& text : parsed.list("TAINT")) {
    const bool remove = text.ends_with('-');
    ASSIGN_OR_RETURN(const contracts::Taint wanted,
                     parse_taint(remove ? text.substr(0, text.size() - 1) : text));
    std::erase_if(request.taints, [&](const auto& each) { return each.key == wanted.key; });
    if (!remove) request.taints.push_back(wanted);
  }
  const auto answer = watcher.client.send("PUT", node_path(name, "/taints"), wire::encode(request));
  if (!answer.ok()) return answer.error();
  env.say(cat("node ", name, " has ", request.taints.size(),
              request.taints.size() == 1 ? " taint" : " taints"));
  return kExitOk;
}

}  // namespace

int cordon_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) {
    return set_schedulable(watcher, parsed, env, "/cordon", "cordoned: it gets nothing new");
  });
}
int uncordon_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) {
    return set_schedulable(watcher, parsed, env, "/uncordon", "open for runs");
  });
}
int drain_command(const Parsed& parsed, Env& env) {
  const auto timeout = duration_option(parsed, "timeout");
  if (!timeout.ok()) return fail(env, timeout.error());
  if (*timeout) env.patience = std::min(env.patience, **timeout);
  return watch(parsed, env,
               [&](Watcher& watcher) { return drain(watcher, parsed, env, *timeout); });
}
int taint_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return taint(watcher, parsed, env); });
}

}  // namespace paddock::cli
