// `paddock down`: cancel what runs, stop the programs by identity, remove our own pointer.
#include <algorithm>
#include <optional>

#include "cli/client/connection.h"
#include "cli/client/health.h"
#include "cli/client/list_items.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/instance/instance_lock.h"
#include "cli/instance/launchers.h"
#include "cli/instance/program.h"
#include "cli/options/option_values.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/client/controller_client.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr Millis kGrace{20'000};
constexpr Millis kAnswerTime{5'000};
constexpr Millis kLeastAnswerTime{1'000};

struct RunName {
  std::string name_space;
  std::string name;
  Millis grace{0};
};

Result<std::vector<RunName>> unfinished_runs(client::ControllerClient& client) {
  std::vector<RunName> out;
  TRY(list_unfinished_runs(client, [&](const wire::Value& run) -> Status {
    const auto grace = parse_duration(run.text("spec.terminationGrace"));
    out.push_back({run.text("metadata.namespace"), run.text("metadata.name"),
                   grace.ok() ? *grace : Millis(0)});
    return {};
  }));
  return out;
}

// So that every run has a true end before the programs that could report it are gone. Each has its
// own grace unless the caller said how long all of this may take.
Status cancel_runs(const Env& env, const InstancePaths& paths, const InstancePointer& pointer,
                   std::optional<Millis> timeout) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint, instance_endpoint(paths, pointer.url));
  client::ControllerClient client(endpoint, env.patience);
  say_when_waiting(client, env);
  ASSIGN_OR_RETURN(const std::vector<RunName> runs, unfinished_runs(client));
  Millis longest{0};
  for (const RunName& run : runs) {
    longest = std::max(longest, run.grace);
    env.say(cat("canceling run ", run.name_space, "/", run.name));
    if (const Status canceled = client.cancel_run(run.name_space, run.name); !canceled.ok()) {
      env.say(cat("  ", canceled.error().message));
    }
  }
  if (runs.empty()) return {};
  const bool ended = wait_until(env, timeout.value_or(longest + kGrace), [&] {
    const auto left = unfinished_runs(client);
    return left.ok() && left->empty();
  });
  if (!ended) env.say("some runs have not ended in time; they end with their node agent");
  return {};
}

// Whether it answers at all. One that stands still, or waits for its disk, may never: then what
// runs is ended by its node agent, which keeps how it ended for the next controller.
bool answers(const Env& env, const InstancePaths& paths, const InstancePointer& pointer,
             Millis patience) {
  const Result<http::Endpoint> endpoint = instance_endpoint(paths, pointer.url);
  if (!endpoint.ok()) return false;
  const Millis each = std::clamp(patience, kLeastAnswerTime, kAnswerTime);
  bool answered = false;
  (void)wait_until(env, patience, [&] {
    answered = ask_ready(*endpoint, each).clock_gap.has_value();
    return answered || !is_alive(pointer.controller);
  });
  return answered;
}

Status stop(const Env& env, const std::string& program, const std::optional<ProcessRef>& process,
            Millis grace) {
  if (!is_alive(process)) return {};
  ASSIGN_OR_RETURN(const bool killed, stop_process(to_identity(*process), grace));
  env.say(cat("stopped ", program, killed ? " (it had to be killed)" : ""));
  return {};
}

Status stop_all(const Env& env, const InstancePaths& paths, const InstancePointer& pointer,
                std::optional<Millis> timeout) {
  const Millis grace = timeout.value_or(kGrace);
  const bool asked = is_alive(pointer.controller) && !pointer.url.empty();
  if (asked && !answers(env, paths, pointer, env.patience_given ? env.patience : grace)) {
    env.say("the controller does not answer: runs end with their node agent");
  } else if (asked) {
    if (const Status canceled = cancel_runs(env, paths, pointer, timeout); !canceled.ok())
      env.say(cat("could not cancel the runs: ", canceled.error().message));
  }
  TRY(stop(env, kNodeAgent, pointer.agent, grace));
  TRY(stop_launchers(env, paths, grace));
  TRY(stop(env, kController, pointer.controller, grace));
  ASSIGN_OR_RETURN(const bool removed, remove_pointer_if_current(paths.pointer(), pointer.id));
  env.say(
      cat("instance ", paths.name, removed ? " is down" : " was started anew by somebody else"));
  return {};
}

Status down(const std::string& instance, std::optional<Millis> timeout, const Env& env) {
  ASSIGN_OR_RETURN(const InstancePaths paths, find_instance(env, instance));
  ASSIGN_OR_RETURN(const bool there, os::is_there(paths.folder));
  if (!there) {
    env.say(cat("instance ", instance, " is not up"));
    return {};
  }
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_instance(env, paths));
  ASSIGN_OR_RETURN(const std::optional<InstancePointer> pointer, current_pointer(paths));
  if (!pointer) {
    env.say(cat("instance ", instance, " is not up"));
    return {};
  }
  // As it was, or mended; what is to be stopped is known without it.
  if (const Status kept = write_pointer(paths.pointer(), *pointer); !kept.ok())
    env.say(cat("could not write down what is up: ", kept.error().message));
  return stop_all(env, paths, *pointer, timeout);
}

}  // namespace

int down_command(const Parsed& parsed, Env& env) {
  const Result<Target> target = choose_target(connection_options(parsed), env);
  if (!target.ok()) return fail(env, target.error());
  if (target->remote) {
    return fail(env, invalid_argument("NOT_AN_INSTANCE", "`down` stops an instance on this host",
                                      "--server"));
  }
  const auto timeout = duration_option(parsed, "timeout");
  if (!timeout.ok()) return fail(env, timeout.error());
  const Status done = down(target->instance, *timeout, env);
  return done.ok() ? kExitOk : fail(env, done.error());
}

}  // namespace paddock::cli
