// `paddock logs`: the output of a run, both streams in the order in which they were written.
#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/output/event_printer.h"
#include "cli/output/line_stamps.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/for_each.h"
#include "cli/terminal/safe_output.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

struct LogOptions {
  bool follow = false;
  std::optional<int64_t> tail = {};
  std::optional<int64_t> since_seconds = {};
  bool timestamps = false;
};

// The server counts whole seconds: what was begun of one is asked for.
Result<std::optional<int64_t>> since_seconds(const Parsed& parsed) {
  constexpr Millis kMost{int64_t{1000} * 1'000'000'000};
  ASSIGN_OR_RETURN(const auto since, duration_option(parsed, "since"));
  if (!since) return std::optional<int64_t>();
  if (since->count() <= 0 || *since > kMost)
    return invalid_argument("INVALID_OPTION",
                            cat("`", parsed.text("since"), "`: expected more than 0s, such as 10m"),
                            "--since");
  return std::optional<int64_t>((since->count() + 999) / 1000);
}

Result<LogOptions> log_options(const Parsed& parsed) {
  constexpr int64_t kMostLines = 1'000'000'000;
  LogOptions options;
  options.follow = parsed.has("follow");
  options.timestamps = parsed.has("timestamps");
  ASSIGN_OR_RETURN(options.tail, integer_option(parsed, "tail", 0, kMostLines));
  ASSIGN_OR_RETURN(options.since_seconds, since_seconds(parsed));
  return options;
}

std::string log_target(const RunRef& run, const LogOptions& options) {
  std::string target =
      cat(contracts::paths::run(run.name_space, run.name), "/log?follow=", options.follow);
  if (options.tail) target += cat("&tailLines=", *options.tail);
  if (options.since_seconds) target += cat("&sinceSeconds=", *options.since_seconds);
  if (options.timestamps) target += "&timestamps=true";
  return target;
}

// The server's text. It cannot be resumed: a lost connection is an error. Followed only where a
// server of an earlier release has no events of that part.
Status print_text(Watcher& watcher, const RunRef& run, const LogOptions& options, const Env& env) {
  http::Request request;
  request.target = log_target(run, options);
  request.timeout = Millis(0);
  request.on_data = [&](std::string_view piece) {
    env.out.write(env.out.tty ? terminal_safe(piece) : std::string(piece));
    return true;
  };
  ASSIGN_OR_RETURN(const http::Response answer, watcher.http.send(request));
  if (answer.status == 200) return {};
  const Result<wire::Value> body = wire::parse_json(answer.body);
  return contracts::error_from_body(answer.status, body.ok() ? *body : wire::Value());
}

bool is_output(const contracts::RunEvent& event) {
  return event.type == contracts::kEventStdout || event.type == contracts::kEventStderr;
}

// From the events, which are resumed where a connection broke. An array has events and no output.
Status follow_output(Watcher& watcher, const RunRef& run, const LogOptions& options,
                     const Env& env) {
  ASSIGN_OR_RETURN(const contracts::Run found, watcher.client.get_run(run.name_space, run.name));
  if (contracts::is_array(found.spec)) return print_text(watcher, run, options, env);
  Env merged = env;
  merged.err.write = env.out.write;  // what the program wrote to either stream is the log
  merged.err.tty = env.out.tty;
  EventPrinter printer(merged, {.phases = false, .system = false});
  LineStamps stamps;
  ASSIGN_OR_RETURN(
      const bool known,
      watcher.client.follow_log(run.name_space, run.name, {options.tail, options.since_seconds},
                                env.patience, [&](contracts::RunEvent event) {
                                  if (options.timestamps && is_output(event))
                                    event.data = stamps.stamped(event);
                                  printer.print(event);
                                  return true;
                                }));
  return known ? Status() : print_text(watcher, run, options, env);
}

// One after another: of several that go on nobody could tell the lines apart.
Result<int> print_all(Watcher& watcher, const Parsed& parsed, const std::vector<RunRef>& runs,
                      const LogOptions& options, const Env& env) {
  if (options.follow && runs.size() > 1)
    return invalid_argument("USAGE", cat("it follows one run, and these are ", runs.size()),
                            "--follow");
  return for_each(runs, env, [&](const RunRef& run) {
    if (runs.size() > 1) env.out.write(part_title(run));
    return or_other_kind(watcher.client, parsed, run.name,
                         options.follow ? follow_output(watcher, run, options, env)
                                        : print_text(watcher, run, options, env));
  });
}

}  // namespace

int logs_command(const Parsed& parsed, Env& env) {
  const auto read = log_options(parsed);
  if (!read.ok()) return fail(env, read.error());
  const LogOptions& options = *read;
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::vector<RunRef> runs, chosen_single_runs(watcher.client, parsed));
    return print_all(watcher, parsed, runs, options, env);
  });
}

}  // namespace paddock::cli
