#include "cli/commands/instance_start.h"

#include <unistd.h>

#include <algorithm>

#include "cli/client/connection.h"
#include "cli/client/health.h"
#include "cli/instance/program.h"
#include "cli/options/names.h"
#include "common/base/random.h"
#include "common/base/text.h"
#include "common/client/controller_client.h"
#include "common/contracts/api_paths.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr Millis kStopGrace{20'000};    // longer than both daemons take for an orderly stop
constexpr Millis kQuestionTime{2'000};  // another one follows
constexpr size_t kLogLines = 8;

// A line of a program's log as people read it; other lines as they are.
std::string readable(const std::string& line) {
  const Result<wire::Value> entry = wire::parse_json(line);
  if (!entry.ok() || entry->text("message").empty()) return line;
  const std::string error = entry->text("error");
  const std::string reason = entry->text("reason");
  return cat(entry->text("message"), error.empty() ? "" : ": ", error,
             reason.empty() ? "" : cat(" [", reason, "]"));
}

bool is_full_disk(const os::StartFailure& said) {
  return said.reason == Reason("STORE_FULL") ||
         (said.code == code_name(Code::kResourceExhausted) &&
          is_one_of(said.reason, {"SYSTEM_ERROR", "DISK_FULL", "NODE_DISK_FULL"}));
}

// Why the program did not come up, in its own words: what it said to this start, and its log.
Error start_error(const InstanceStart& start, const std::string& program, const std::string& what) {
  const auto report = start.reports.find(program);
  const auto said = report == start.reports.end() ? std::optional<os::StartFailure>()
                                                  : os::read_start_failure(report->second);
  if (said && said->reason == Reason("PORT_IN_USE")) {
    return {Code::kFailedPrecondition, "PORT_IN_USE",
            cat("port ", start.port.value_or(0), " is in use")};
  }
  Error error{Code::kUnavailable, "START_FAILED", cat(program, " ", what)};
  if (said && is_full_disk(*said))
    error = {Code::kResourceExhausted, "DISK_FULL",
             cat(program, " ", what, ": the disk of ", start.paths.folder,
                 " or of the data folder is full (df -h, df -i); free some space there")};
  for (const std::string& line : log_tail(start.paths, program, kLogLines))
    error.causes.push_back({"log", readable(line)});
  const bool logged = std::ranges::any_of(error.causes, [&](const Cause& line) {
    return said && line.message.find(said->message) != std::string::npos;
  });
  if (said && !logged)
    error.causes.push_back({"error", cat(said->message, " [", said->reason, "]")});
  return error;
}

// The program's description of itself once it is up; START_FAILED when it ended or took too long.
Result<wire::Value> wait_for_self(InstanceStart& start, const std::string& program,
                                  const std::string& file, const os::ProcessIdentity& process) {
  wire::Value self;
  wait_until(start.env, start.deadline, [&] {
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

Status wait_for_controller(InstanceStart& start, const os::ProcessIdentity& process) {
  const std::string file = start.paths.controller_data() + "/controller.json";
  ASSIGN_OR_RETURN(const wire::Value self, wait_for_self(start, kController, file, process));
  start.pointer.url = self.text("url");
  start.pointer.controller->nonce = self.text("nonce");
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   instance_endpoint(start.paths, start.pointer.url));
  bool full = false;
  const bool ready = wait_until(start.env, start.deadline, [&] {
    const Status said = ask_ready(endpoint, kQuestionTime).status;
    full = !said.ok() && said.error().reason == "CONTROLLER_NOT_READY" &&
           serves_on_full_disk(endpoint);
    return said.ok() || full || !os::alive(process);
  });
  if (!ready || !os::alive(process))
    return start_error(start, kController, "does not become ready");
  if (full)
    start.env.say(
        "the controller's disk is full: it does what frees something, and nothing else until "
        "there "
        "is room (paddock cancel, paddock delete)");
  return {};
}

// A program that was started with the variables of this command.
ProcessRef ref_of(const InstanceStart& start, const os::ProcessIdentity& process,
                  const char* network) {
  ProcessRef ref = to_ref(process);
  const auto found = start.env.vars.find(network);
  if (found != start.env.vars.end() && found->second == "true") ref.network = true;
  return ref;
}

Status start_controller(InstanceStart& start, int64_t port) {
  ASSIGN_OR_RETURN(StartedProgram started, start_program(start.env, start.paths, kController,
                                                         controller_args(start.paths, port),
                                                         program_variables(start.settings)));
  const os::ProcessIdentity process = started.process;
  start.reports[kController] = std::move(started.report);
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

Status end_former(const InstanceStart& start, const std::string& program,
                  const std::optional<ProcessRef>& process) {
  if (!is_alive(process)) return {};
  ASSIGN_OR_RETURN(const bool killed, stop_process(to_identity(*process), kStopGrace));
  if (killed) start.env.say(cat("the former ", program, " had to be killed"));
  return {};
}

// The port asked for; else the last one, and any free one when that is taken meanwhile. One that
// has other ceilings is started again; whoever waits for an answer tries again meanwhile.
Status ensure_controller(InstanceStart& start) {
  const bool up = is_alive(start.pointer.controller) && !start.pointer.url.empty();
  if (up && !start.new_network) return {};
  start.was_complete = false;
  if (up) TRY(end_former(start, "controller", start.pointer.controller));
  start.env.say(
      up ? cat("starting the controller, with network: ", network_line(start.settings, false))
         : "starting the controller");
  const Status first = start_controller(start, start.port.value_or(start.settings.port));
  if (first.ok() || first.error().reason != "PORT_IN_USE" || start.port) return first;
  start.env.say(cat("port ", start.settings.port, " is taken now; taking a free one"));
  return start_controller(start, 0);
}

// A controller that ends meanwhile is said at once, in its own words.
Status wait_for_node(InstanceStart& start, const os::ProcessIdentity& agent) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint,
                   instance_endpoint(start.paths, start.pointer.url));
  const std::unique_ptr<http::Client> client = http::make_client(endpoint);
  http::Request request;
  request.target = contracts::paths::node(start.pointer.node);
  request.timeout = kQuestionTime;
  bool ready = false;
  wait_until(start.env, start.deadline, [&] {
    const Result<http::Response> answer = client->send(request);
    const auto node = answer.ok() ? wire::parse_json(answer->body) : answer.error();
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

// Its own word first: the node's lease outlives the agent before it, so the node alone may be
// ready though this agent never came up.
Status wait_for_agent(InstanceStart& start, const os::ProcessIdentity& process) {
  const std::string file = start.paths.agent_data() + "/agent.json";
  ASSIGN_OR_RETURN(const wire::Value self, wait_for_self(start, kNodeAgent, file, process));
  start.pointer.agent->nonce = self.text("nonce");
  return wait_for_node(start, process);
}

// An agent that knows another controller, other sources of packages or other ceilings is started
// again; the runs it holds go on meanwhile.
Status ensure_agent(InstanceStart& start, const std::string& former_url) {
  const bool fits = former_url == start.pointer.url && !start.new_sources && !start.new_network;
  if (is_alive(start.pointer.agent) && fits) {
    const Status up = wait_for_node(start, to_identity(*start.pointer.agent));
    if (is_alive(start.pointer.agent)) return up;  // else it was killed just now
  }
  start.was_complete = false;
  TRY(end_former(start, "node agent", start.pointer.agent));
  start.env.say(start.new_sources ? "starting the node agent with other sources of packages"
                                  : "starting the node agent");
  ASSIGN_OR_RETURN(StartedProgram started,
                   start_program(start.env, start.paths, kNodeAgent,
                                 agent_args(start.paths, start.pointer.url, start.pointer.node,
                                            start.settings.packages),
                                 program_variables(start.settings)));
  const os::ProcessIdentity process = started.process;
  start.reports[kNodeAgent] = std::move(started.report);
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

// A failed start leaves nothing behind that it made itself.
Status undo(InstanceStart& start, const Status& failed, bool controller_was_alive) {
  if (!controller_was_alive && start.pointer.controller) {
    (void)stop_process(to_identity(*start.pointer.controller), kStopGrace);
    start.pointer.controller.reset();
  }
  if (!is_alive(start.pointer.controller) && !is_alive(start.pointer.agent)) {
    (void)remove_pointer_if_current(start.paths.pointer(), start.pointer.id);
  }
  return failed;
}

}  // namespace

int64_t port_of(const std::string& url) {
  return parse_integer<int64_t>(url.substr(url.rfind(':') + 1)).value_or(0);
}

Status bring_up(InstanceStart& start) {
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

}  // namespace paddock::cli
