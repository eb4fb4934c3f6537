// `paddock doctor`: what this host can enforce, which tools it has, and how an instance is doing.
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cli/client/connection.h"
#include "cli/client/health.h"
#include "cli/commands/commands.h"
#include "cli/instance/agent_host.h"
#include "cli/instance/host_findings.h"
#include "cli/instance/launch_here.h"
#include "cli/instance/program.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/contracts/canary.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr const char* kControllerConfig = "/etc/paddock/controller.yaml";

struct Diagnosis {
  contracts::SandboxProof sandbox;
  std::vector<Finding> host;
  Health health;
  wire::Value controller;  // what `paddock-controller --check=json` says; null: it was not asked
};

// It is the program that reads its configuration, and knows what it needs.
Result<wire::Value> check_controller(const Env& env, const std::string& config) {
  ASSIGN_OR_RETURN(const std::string program, find_program(env, kController));
  ASSIGN_OR_RETURN(const Captured said,
                   capture_whole(env, {program, "--config", config, "--check=json"}));
  return wire::parse_json(said.text);
}

Result<contracts::SandboxProof> probe(const Env& env) {
  ASSIGN_OR_RETURN(const std::string program, find_program(env, kLauncher));
  ASSIGN_OR_RETURN(const std::string text, capture(env, {program, "probe"}));
  ASSIGN_OR_RETURN(const wire::Value proof, wire::parse_json(text));
  return wire::decode<contracts::SandboxProof>(proof);
}

int cgroup_version() {
  if (os::exists("/sys/fs/cgroup/cgroup.controllers")) return 2;
  return os::exists("/sys/fs/cgroup/memory") ? 1 : 0;
}

std::string missing_program(const Env& env) {
  for (const char* program : {kController, kNodeAgent, kLauncher}) {
    if (!find_program(env, program).ok()) return program;
  }
  return "";
}

// The controller that this host has joined, if it has.
std::optional<Ready> ask_joined(const Result<AgentHost>& host) {
  if (!host.ok() || !host->configured()) return std::nullopt;
  http::Endpoint endpoint;
  endpoint.base_url = host->settings().server;
  if (const std::string& file = host->settings().ca_file; !file.empty()) {
    Result<std::string> ca = os::read_file(file);
    if (!ca.ok()) return std::nullopt;
    endpoint.ca_pem = std::move(ca).value();
  }
  return ask_ready(endpoint, Millis(5000));
}

// Compares this host's clock with that of the controller that was asked, or else of the one that
// the agent here has joined.
void compare_clocks(const Health& health, const Result<AgentHost>& host, HostFacts& facts) {
  facts.clock_gap = health.clock_gap;
  facts.controller_error = health.controller_error;
  if (facts.clock_gap || facts.controller_error) return;
  const std::optional<Ready> joined = ask_joined(host);
  if (!joined) return;
  facts.clock_gap = joined->clock_gap;
  if (!joined->status.ok()) facts.controller_error = joined->status.error();
}

// Where this host keeps what Paddock writes: its instances, the data folder of the one that is
// meant (`up --data-dir`), and that of the agent of the packages.
std::vector<std::string> data_folders(const Parsed& parsed, const Env& env,
                                      const Result<AgentHost>& host) {
  std::vector<std::string> out;
  if (auto root = state_root(env.vars, env.root); root.ok()) out.push_back(std::move(*root));
  const Result<Target> target = choose_target(connection_options(parsed), env);
  if (target.ok() && !target->remote) {
    if (const auto paths = find_instance(env, target->instance); paths.ok())
      out.push_back(paths->data);
  }
  if (host.ok() && host->configured()) out.push_back(host->data_dir());
  return out;
}

// Each disk once.
std::vector<DataDisk> disks_of(const std::vector<std::string>& folders) {
  std::vector<DataDisk> out;
  std::set<dev_t> seen;
  for (const std::string& folder : folders) {
    struct stat info = {};
    if (::stat(folder.c_str(), &info) != 0 || !seen.insert(info.st_dev).second) continue;
    if (const auto room = os::room_at(folder)) out.push_back({folder, *room});
  }
  return out;
}

HostFacts look_around(const Env& env) {
  HostFacts facts;
  struct utsname names = {};
  ::uname(&names);
  facts.system = names.sysname;
  facts.release = names.release;
  facts.machine = names.machine;
  facts.cgroup_version = cgroup_version();
  if (const auto version = capture(env, {"/usr/bin/python3", "--version"}); version.ok())
    facts.python = trim(*version);
  facts.venv = capture(env, {"/usr/bin/python3", "-c", "import venv, ensurepip"}).ok();
  facts.missing_program = missing_program(env);
  return facts;
}

wire::Value to_document(const Diagnosis& diagnosis) {
  wire::Value host = wire::Value::Array{};
  for (const Finding& each : diagnosis.host) {
    host.push_back(wire::Value::Object{{"name", each.name},
                                       {"ok", each.good},
                                       {"details", each.details},
                                       {"remedy", each.remedy}});
  }
  return wire::Value::Object{{"sandbox", wire::encode(diagnosis.sandbox)},
                             {"host", std::move(host)},
                             {"instance", ready_document(diagnosis.health)},
                             {"controller", diagnosis.controller}};
}

std::string mark(const Stream& stream, bool good, const char* bad = "missing") {
  return good ? paint(stream, Paint::kGreen, "ok     ") : paint(stream, Paint::kRed, bad);
}

bool is_stopped(const contracts::Canary& canary) { return canary.passed; }

// One line per canary; what would fix or strengthen the host once each, below.
void print_canaries(const std::vector<contracts::Canary>& canaries, const Stream& out) {
  out.write(cat("Sandbox: ", std::ranges::count_if(canaries, is_stopped), " of ", canaries.size(),
                " forbidden things were stopped, tried just now\n"));
  Table table{{"STOPPED", "CANARY", "ATTEMPT", "EXPECTED", "GOT", "LEVEL"}, {}};
  std::vector<std::string> remedies;
  for (const contracts::Canary& each : canaries) {
    table.rows.push_back({each.passed ? "yes" : "NO", each.name, each.attempt, each.expected,
                          each.got, std::string(wire::enum_name(each.level))});
    if (std::ranges::find(remedies, each.remedy) == remedies.end()) remedies.push_back(each.remedy);
  }
  out.write(render(table, "  "));
  for (const std::string& remedy : remedies) {
    if (!remedy.empty())
      out.write(cat("  ", paint(out, Paint::kYellow, "fix:"), " ", printable(remedy), "\n"));
  }
}

void print_capabilities(const std::vector<contracts::Capability>& capabilities, size_t width,
                        const Stream& out) {
  out.write("Capabilities: what a run's result will say\n");
  for (const auto& each : capabilities) {
    out.write(cat("  ", mark(out, each.available), "  ", pad_right(printable(each.name), width),
                  "  ", printable(each.mechanism), "\n"));
    if (!each.details.empty()) out.write(cat("           ", printable(each.details), "\n"));
  }
}

void print(const Diagnosis& diagnosis, const Env& env) {
  const Stream& out = env.out;
  constexpr size_t kWidth = 12;
  print_canaries(diagnosis.sandbox.canaries, out);
  print_capabilities(diagnosis.sandbox.capabilities, kWidth, out);
  out.write("Host\n");
  for (const Finding& each : diagnosis.host) {
    const char* bad = each.name == "clock"  ? "wrong  "
                      : each.name == "disk" ? "full   "
                                            : "missing";
    out.write(cat("  ", mark(out, each.good, bad), "  ", pad_right(each.name, kWidth), "  ",
                  printable(each.details), "\n"));
    if (!each.remedy.empty()) out.write(cat("           remedy: ", printable(each.remedy), "\n"));
  }
  out.write("Instance\n");
  const Health& health = diagnosis.health;
  out.write(health.ready() ? cat("  ", mark(out, true), "  ready at ", health.url, "\n")
                           : cat("  not ready: ", printable(health.reason), "\n"));
}

bool is_well(const wire::Value& checked) {
  const wire::Value* good = checked.find("ok");
  return good != nullptr && good->boolean() != nullptr && *good->boolean();
}

void print_controller(const wire::Value& checked, const Stream& out) {
  const wire::Value* checks = checked.find("checks");
  if (checks == nullptr || checks->array() == nullptr) {
    if (os::exists(kControllerConfig))
      out.write(cat("Controller\n  not asked: paddock doctor --controller-config ",
                    kControllerConfig, ", as its user\n"));
    return;
  }
  constexpr size_t kWidth = 20;
  out.write("Controller\n");
  for (const wire::Value& each : *checks->array()) {
    const bool good = is_well(each);
    out.write(cat("  ", mark(out, good, "FAULT  "), "  ",
                  pad_right(printable(each.text("name")), kWidth), "  ",
                  printable(each.text("details")), "\n"));
    if (!good)
      out.write(cat("           ", printable(each.text("code")), ", setting ",
                    printable(each.text("setting")), "; remedy: ", printable(each.text("remedy")),
                    "\n"));
  }
}

// Whether everything is there that no run may be without.
bool is_safe(const contracts::SandboxProof& proof) {
  const bool stopped = std::ranges::all_of(proof.canaries, [](const contracts::Canary& each) {
    return each.passed || !contracts::is_isolation(each.capability);
  });
  return stopped && !proof.canaries.empty();
}

}  // namespace

int doctor_command(const Parsed& parsed, Env& env) {
  const Result<OutputFormat> format = parse_output_format(parsed.text("output"));
  if (!format.ok()) return fail(env, format.error());
  Diagnosis diagnosis;
  diagnosis.health = gather_health(connection_options(parsed), env);
  HostFacts facts = look_around(env);
  const Result<AgentHost> host = AgentHost::find(parsed, env);
  if (!host.ok()) facts.agent_error = host.error();
  facts.disks = disks_of(data_folders(parsed, env, host));
  compare_clocks(diagnosis.health, host, facts);
  diagnosis.host = host_findings(facts);
  auto proof = probe(env);
  if (!proof.ok()) return fail(env, proof.error());
  diagnosis.sandbox = std::move(proof).value();
  const std::string config = parsed.text("controller-config");
  if (!config.empty()) {
    auto checked = check_controller(env, config);
    if (!checked.ok()) return fail(env, checked.error());
    diagnosis.controller = std::move(checked).value();
  }
  if (is_document(*format)) {
    env.out.write(document_text(to_document(diagnosis), *format));
  } else {
    print(diagnosis, env);
    print_controller(diagnosis.controller, env.out);
  }
  const bool well = config.empty() || is_well(diagnosis.controller);
  return is_safe(diagnosis.sandbox) && well ? kExitOk : kExitFailure;
}

}  // namespace paddock::cli
