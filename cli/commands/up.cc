// `paddock up`: a controller and a node agent on this host, ready for work.

#include "cli/client/connection.h"
#include "cli/commands/commands.h"
#include "cli/commands/instance_start.h"
#include "cli/instance/instance_lock.h"
#include "cli/instance/pointer.h"
#include "cli/instance/start_variables.h"
#include "cli/options/names.h"
#include "cli/options/option_values.h"
#include "cli/options/package_sources.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/os/file.h"
#include "common/os/start_reserve.h"

namespace paddock::cli {
namespace {

constexpr Millis kStartPatience{120'000};

struct UpOptions {
  std::string instance;
  std::optional<int64_t> port;
  std::string data_dir;  // absolute, or empty
  const Parsed& parsed;  // what is remembered is read against it
  Millis timeout = kStartPatience;
};

Result<UpOptions> up_options(const Parsed& parsed, const Env& env) {
  UpOptions options{.instance = {}, .port = {}, .data_dir = {}, .parsed = parsed};
  ConnectionOptions connection = connection_options(parsed);
  ASSIGN_OR_RETURN(const Target target, choose_target(connection, env));
  if (target.remote) {
    return invalid_argument("NOT_AN_INSTANCE",
                            "`up` starts an instance on this host; leave the server out",
                            "--server");
  }
  options.instance = target.instance;
  ASSIGN_OR_RETURN(options.port, integer_option(parsed, "port", 0, 65535));
  ASSIGN_OR_RETURN(const std::optional<Millis> timeout, duration_option(parsed, "timeout"));
  if (timeout) options.timeout = *timeout;
  if (parsed.has("data-dir")) options.data_dir = absolute_path(env.cwd, parsed.text("data-dir"));
  return options;
}

// A program that runs reads no variables any more, and nothing remembers them for the next start.
void tell_of_unheard(const Env& env, const InstanceStart& start) {
  constexpr size_t kMostEnvironment = size_t{4} << 20;
  const auto unheard = [&](const std::optional<ProcessRef>& process, std::string_view prefix) {
    const auto environment =
        process ? os::read_file(cat("/proc/", process->pid, "/environ"), kMostEnvironment)
                : Result<std::string>(std::string());
    return environment.ok() && process ? unheard_variables(env.vars, prefix, *environment)
                                       : std::vector<std::string>();
  };
  std::vector<std::string> names = unheard(start.pointer.controller, "PADDOCK_CONTROLLER_");
  for (std::string& name : unheard(start.pointer.agent, "PADDOCK_NODE_AGENT_"))
    names.push_back(std::move(name));
  if (names.empty()) return;
  env.say(cat("  not taken: ", join(names, ", "),
              "; a variable is read at the start alone: `paddock down` first, and give it at each "
              "`paddock up`"));
}

void announce(const InstanceStart& start) {
  const Env& env = start.env;
  env.say(cat("instance ", start.paths.name,
              start.was_complete ? " was up already: " : " is up: ", start.pointer.url));
  const int64_t port = port_of(start.pointer.url);
  const bool other_port = start.port && *start.port != 0 && *start.port != port;
  if (other_port) env.say(cat("  it keeps port ", port, "; `paddock down` first to change it"));
  env.say(cat("  node ", start.pointer.node, "; controller pid ", start.pointer.controller->pid,
              ", agent pid ", start.pointer.agent->pid));
  env.say(cat("  packages: ", join(source_lines(start.settings.packages), ", ")));
  env.say(cat("  network: ", network_line(start.settings, network_by_variables(start.pointer))));
  env.say(cat("  logs ", start.paths.folder, "/logs"));
  tell_of_unheard(env, start);
}

// An instance that is up has its data where it was told before.
Status stays_where_it_is(const UpOptions& options, const std::string& root,
                         const InstanceSettings& settings) {
  if (options.data_dir.empty() || options.data_dir == settings.data_dir) return {};
  ASSIGN_OR_RETURN(const InstancePaths paths,
                   instance_paths(root, options.instance, settings.data_dir));
  ASSIGN_OR_RETURN(const auto pointer, current_pointer(paths));
  if (!pointer || (!is_alive(pointer->controller) && !is_alive(pointer->agent))) return {};
  return Error{Code::kFailedPrecondition,
               "INSTANCE_ELSEWHERE",
               cat("instance ", options.instance,
                   " is up and has its data in another folder; `paddock down` first"),
               {{"--data-dir", cat("it uses ", paths.data)}}};
}

Result<InstanceStart> prepare(const UpOptions& options, const Env& env) {
  ASSIGN_OR_RETURN(const std::string root, state_root(env.vars, env.root));
  ASSIGN_OR_RETURN(const InstancePaths own, instance_paths(root, options.instance));
  ASSIGN_OR_RETURN(InstanceSettings settings, read_settings(own.settings()));
  TRY(stays_where_it_is(options, root, settings));
  if (!options.data_dir.empty()) settings.data_dir = options.data_dir;
  ASSIGN_OR_RETURN(PackageSources sources,
                   choose_sources(options.parsed, env.cwd, settings.packages));
  const bool new_sources = sources != settings.packages;
  settings.packages = std::move(sources);
  ASSIGN_OR_RETURN(const bool network, switch_option(options.parsed, "network", settings.network));
  const bool new_network = network != settings.network;
  settings.network = network;
  ASSIGN_OR_RETURN(const InstancePaths paths,
                   instance_paths(root, options.instance, settings.data_dir));
  for (const std::string& folder :
       {paths.folder, paths.controller_data(), paths.agent_data(), paths.run_folder()}) {
    TRY(os::make_dirs(folder));
  }
  return InstanceStart{.env = env,
                       .port = options.port,
                       .paths = paths,
                       .settings = settings,
                       .deadline = LivedDeadline(options.timeout, env.clock.mono()),
                       .new_sources = new_sources,
                       .new_network = new_network};
}

// Makes room on a full disk for the files that `up` itself writes, as the programs do at their
// start.
void make_room(const Env& env, const InstancePaths& paths) {
  const std::string full = os::full_disk_text(os::make_room_to_start(paths.folder));
  if (!full.empty()) env.say(cat(full, ": free some space there"));
}

Status up(const UpOptions& options, const Env& env) {
  ASSIGN_OR_RETURN(InstanceStart start, prepare(options, env));
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_instance(env, start.paths));
  make_room(env, start.paths);
  TRY(bring_up(start));
  announce(start);
  return {};
}

}  // namespace

int up_command(const Parsed& parsed, Env& env) {
  const Result<UpOptions> options = up_options(parsed, env);
  if (!options.ok()) return fail(env, options.error());
  const Status done = up(*options, env);
  return done.ok() ? kExitOk : fail(env, done.error(), true);
}

}  // namespace paddock::cli
