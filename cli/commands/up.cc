// `paddock up`: a controller and a node agent on this host, ready for work.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/client/connection.h"
#include "cli/client/health.h"
#include "cli/commands/commands.h"
#include "cli/instance/instance_lock.h"
#include "cli/instance/program.h"
#include "cli/options/names.h"
#include "cli/options/option_values.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/client/controller_client.h"
#include "common/contracts/api_paths.h"
#include "common/os/file.h"
#include "common/os/start_reserve.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr Millis kStartPatience{60'000};
constexpr Millis kStopGrace{10'000};
constexpr size_t kLogLines = 8;

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

// One `up` at work.
struct Start {
  const UpOptions& options;
  const Env& env;
  InstancePaths paths;
  InstanceSettings settings;
  MonoTime deadline;
  InstancePointer pointer;
  bool new_sources = false;  // an agent that runs knows others
  bool new_network = false;  // both programs that run know otherwise
  bool was_complete = true;  // nothing had to be started

  Millis left() const { return std::max(Millis(1), deadline - env.clock.mono()); }
};

// A line of a program's log as people read it; other lines as they are.
std::string readable(const std::string& line) {
  const Result<wire::Value> entry = wire::parse_json(line);
  if (!entry.ok() || entry->text("message").empty()) return line;
  const std::string error = entry->text("error");
  const std::string reason = entry->text("reason");
  return cat(entry->text("message"), error.empty() ? "" : ": ", error,
             reason.empty() ? "" : cat(" [", reason, "]"));
}

// The program's own words when it did not come up; PORT_IN_USE is told apart.
Error start_error(const Start& start, const std::string& program, const std::string& what) {
  const std::vector<std::string> lines = log_tail(start.paths, program, kLogLines);
  const bool taken = std::ranges::any_of(lines, [](const std::string& line) {
    return line.find(Reason("PORT_IN_USE").text()) != std::string::npos ||
           line.find("Address already in use") != std::string::npos;
  });
  if (taken) {
    return {Code::kFailedPrecondition, "PORT_IN_USE",
            cat("port ", start.options.port.value_or(0), " is in use")};
  }
  Error error{Code::kUnavailable, "START_FAILED", cat(program, " ", what)};
  for (const std::string& line : lines) error.causes.push_back({"log", readable(line)});
  return error;
}

// What the program says about itself once it is up; START_FAILED when it ended or took too long.
Result<wire::Value> wait_for_self(const Start& start, const std::string& program,
                                  const std::string& file, const os::ProcessIdentity& process) {
  wire::Value self;
  wait_until(start.env, start.left(), [&] {
    self = read_self_description(file);
    const wire::Value* pid = self.find("pid");
    const bool written =
        pid != nullptr && pid->integer() != nullptr && *pid->integer() == process.pid;
    if (!written) self = {};
    return written || !os::alive(process);
  });
  if (!os::alive(process)) return start_error(start, program, "ended while it was starting");
  if (self.is_null()) return start_error(start, program, "did not come up in time");
  return self;
}

Status wait_for_controller(Start& start, const os::ProcessIdentity& process) {
  const std::string file = start.paths.controller_data() + "/controller.json";
  ASSIGN_OR_RETURN(const wire::Value self, wait_for_self(start, kController, file, process));
  start.pointer.url = self.text("url");
  start.pointer.controller->nonce = self.text("nonce");
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   instance_endpoint(start.paths, start.pointer.url));
  bool full = false;
  const bool ready = wait_until(start.env, start.left(), [&] {
    const Status said = check_ready(endpoint, Millis(2000));
    full = !said.ok() && said.error().reason == "CONTROLLER_NOT_READY" &&
           serves_on_full_disk(endpoint);
    return said.ok() || full || !os::alive(process);
  });
  if (!ready || !os::alive(process))
    return start_error(start, kController, "does not become ready");
  if (full)
    start.env.say(
        "the controller's disk is full: it does what frees something, and nothing else until there "
        "is room (paddock cancel, paddock delete)");
  return {};
}

// A program that was started with the variables of this command.
ProcessRef ref_of(const Start& start, const os::ProcessIdentity& process, const char* network) {
  ProcessRef ref = to_ref(process);
  const auto found = start.env.vars.find(network);
  if (found != start.env.vars.end() && found->second == "true") ref.network = true;
  return ref;
}

Status start_controller(Start& start, int64_t port) {
  ASSIGN_OR_RETURN(
      const os::ProcessIdentity process,
      start_program(start.env, start.paths, kController, controller_args(start.paths, port),
                    program_variables(start.settings)));
  start.pointer.controller = ref_of(start, process, kNetworkVariables[0]);
  TRY(write_pointer(start.paths.pointer(), start.pointer));
  const Status up = wait_for_controller(start, process);
  if (!up.ok()) {
    (void)stop_process(process, kStopGrace);
    start.pointer.controller.reset();
    return up;
  }
  return write_pointer(start.paths.pointer(), start.pointer);
}

Status end_former(const Start& start, const std::string& program,
                  const std::optional<ProcessRef>& process) {
  if (!is_alive(process)) return {};
  ASSIGN_OR_RETURN(const bool killed, stop_process(to_identity(*process), kStopGrace));
  if (killed) start.env.say(cat("the former ", program, " had to be killed"));
  return {};
}

// The port asked for; else the last one, and any free one when that is taken meanwhile. One that
// has other ceilings is started again; whoever waits for an answer tries again meanwhile.
Status ensure_controller(Start& start) {
  const bool up = is_alive(start.pointer.controller) && !start.pointer.url.empty();
  if (up && !start.new_network) return {};
  start.was_complete = false;
  if (up) TRY(end_former(start, "controller", start.pointer.controller));
  start.env.say(
      up ? cat("starting the controller, with network: ", network_line(start.settings, false))
         : "starting the controller");
  const Status first = start_controller(start, start.options.port.value_or(start.settings.port));
  if (first.ok() || first.error().reason != "PORT_IN_USE" || start.options.port) return first;
  start.env.say(cat("port ", start.settings.port, " is taken now; taking a free one"));
  return start_controller(start, 0);
}

// A controller that ends meanwhile is said at once, in its own words.
Status wait_for_node(Start& start, const os::ProcessIdentity& agent) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   instance_endpoint(start.paths, start.pointer.url));
  client::ControllerClient client(endpoint);
  bool ready = false;
  wait_until(start.env, start.left(), [&] {
    const Result<wire::Value> node = client.get(contracts::paths::node(start.pointer.node));
    const wire::Value* flag = node.ok() ? node->at("status.ready") : nullptr;
    ready = flag != nullptr && flag->boolean() != nullptr && *flag->boolean();
    return ready || !os::alive(agent) || !is_alive(start.pointer.controller);
  });
  if (!is_alive(start.pointer.controller))
    return start_error(start, kController, "ended while the node agent was starting");
  const bool alive = os::alive(agent);
  if (ready && alive) return {};
  return start_error(start, kNodeAgent,
                     alive ? "did not register in time" : "ended while it was starting");
}

// Its own word first: the node's lease outlives the agent before it, so the node alone may be ready
// though this agent never came up.
Status wait_for_agent(Start& start, const os::ProcessIdentity& process) {
  const std::string file = start.paths.agent_data() + "/agent.json";
  ASSIGN_OR_RETURN(const wire::Value self, wait_for_self(start, kNodeAgent, file, process));
  start.pointer.agent->nonce = self.text("nonce");
  return wait_for_node(start, process);
}

// An agent that knows another controller, other sources of packages or other ceilings is started
// again; the runs it holds go on meanwhile.
Status ensure_agent(Start& start, const std::string& former_url) {
  const bool fits = former_url == start.pointer.url && !start.new_sources && !start.new_network;
  if (is_alive(start.pointer.agent) && fits) {
    const Status up = wait_for_node(start, to_identity(*start.pointer.agent));
    if (is_alive(start.pointer.agent)) return up;  // else it was killed just now
  }
  start.was_complete = false;
  TRY(end_former(start, "node agent", start.pointer.agent));
  start.env.say(start.new_sources ? "starting the node agent with other sources of packages"
                                  : "starting the node agent");
  ASSIGN_OR_RETURN(const os::ProcessIdentity process,
                   start_program(start.env, start.paths, kNodeAgent,
                                 agent_args(start.paths, start.pointer.url, start.pointer.node,
                                            start.settings.packages),
                                 program_variables(start.settings)));
  start.pointer.agent = ref_of(start, process, kNetworkVariables[1]);
  TRY(write_pointer(start.paths.pointer(), start.pointer));
  const Status up = wait_for_agent(start, process);
  if (up.ok()) return write_pointer(start.paths.pointer(), start.pointer);
  (void)stop_process(process, kStopGrace);
  start.pointer.agent.reset();
  return up;
}

std::string host_node_name() {
  char name[256] = {};
  return slug(::gethostname(name, sizeof name - 1) == 0 ? trim(name) : "", 40, "node");
}

int64_t port_of(const std::string& url) {
  return parse_integer<int64_t>(url.substr(url.rfind(':') + 1)).value_or(0);
}

// A failed start leaves nothing behind that it made itself.
Status undo(Start& start, const Status& failed, bool controller_was_alive) {
  if (!controller_was_alive && start.pointer.controller) {
    (void)stop_process(to_identity(*start.pointer.controller), kStopGrace);
    start.pointer.controller.reset();
  }
  if (!is_alive(start.pointer.controller) && !is_alive(start.pointer.agent)) {
    (void)remove_pointer_if_current(start.paths.pointer(), start.pointer.id);
  }
  return failed;
}

Status bring_up(Start& start) {
  ASSIGN_OR_RETURN(std::optional<InstancePointer> former, current_pointer(start.paths));
  if (former) start.pointer = *former;
  const bool alive = former && is_alive(former->controller) && is_alive(former->agent);
  if (!alive) start.pointer.id = make_uuid(start.env.random);  // what was dead is replaced
  start.pointer.instance = start.paths.name;
  if (start.pointer.node.empty()) start.pointer.node = host_node_name();
  const std::string former_url = start.pointer.url;
  const bool controller_was_alive = is_alive(start.pointer.controller);
  if (const Status begun = ensure_controller(start); !begun.ok())
    return undo(start, begun, controller_was_alive);
  Status up = ensure_agent(start, former_url);
  // One that was up and was ended while we looked is as one that was not up.
  if (!up.ok() && controller_was_alive && !is_alive(start.pointer.controller)) {
    start.env.say("the controller ended meanwhile");
    if (const Status again = ensure_controller(start); !again.ok())
      return undo(start, again, false);
    up = ensure_agent(start, former_url);
  }
  if (!up.ok()) return undo(start, up, controller_was_alive);
  start.settings.port = port_of(start.pointer.url);
  return write_settings(start.paths.settings(), start.settings);
}

void announce(const Start& start) {
  const Env& env = start.env;
  env.say(cat("instance ", start.paths.name,
              start.was_complete ? " was up already: " : " is up: ", start.pointer.url));
  const int64_t port = port_of(start.pointer.url);
  const bool other_port =
      start.options.port && *start.options.port != 0 && *start.options.port != port;
  if (other_port) env.say(cat("  it keeps port ", port, "; `paddock down` first to change it"));
  env.say(cat("  node ", start.pointer.node, "; controller pid ", start.pointer.controller->pid,
              ", agent pid ", start.pointer.agent->pid));
  env.say(cat("  packages: ", join(source_lines(start.settings.packages), ", ")));
  env.say(cat("  network: ", network_line(start.settings, network_by_variables(start.pointer))));
  env.say(cat("  logs ", start.paths.folder, "/logs"));
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

Result<Start> prepare(const UpOptions& options, const Env& env) {
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
  return Start{options, env,         paths,      settings, env.clock.mono() + options.timeout,
               {},      new_sources, new_network};
}

// What `up` writes itself has room on a full disk too, as what the programs write at their start.
void make_room(const Env& env, const InstancePaths& paths) {
  const std::string full = os::full_disk_text(os::make_room_to_start(paths.folder));
  if (!full.empty()) env.say(cat(full, ": free some space there"));
}

Status up(const UpOptions& options, const Env& env) {
  ASSIGN_OR_RETURN(Start start, prepare(options, env));
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
