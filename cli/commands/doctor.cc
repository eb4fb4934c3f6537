// `paddock doctor`: what this host can enforce, which tools it has, and how an instance is doing.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/health.h"
#include "cli/core/launch_here.h"
#include "cli/core/output_format.h"
#include "cli/core/program.h"
#include "cli/core/table.h"
#include "common/contracts/canary.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

struct Finding {
  std::string name;
  bool good = false;
  std::string details;
  std::string remedy;
};

struct Diagnosis {
  contracts::SandboxProof sandbox;
  std::vector<Finding> host;
  Health health;
};

Result<contracts::SandboxProof> probe(const Env& env) {
  ASSIGN_OR_RETURN(const std::string program, find_program(env, kSandbox));
  ASSIGN_OR_RETURN(const std::string text, capture(env, {program, "probe"}));
  ASSIGN_OR_RETURN(const wire::Value proof, wire::parse_json(text));
  return wire::decode<contracts::SandboxProof>(proof);
}

Finding kernel() {
  struct utsname names = {};
  ::uname(&names);
  return {"kernel", true, cat(names.sysname, " ", names.release, " ", names.machine), ""};
}

Finding cgroups() {
  if (os::exists("/sys/fs/cgroup/cgroup.controllers")) return {"cgroup", true, "version 2", ""};
  if (os::exists("/sys/fs/cgroup/memory")) return {"cgroup", true, "version 1", ""};
  return {"cgroup", false, "none is mounted",
          "mount cgroup2 at /sys/fs/cgroup to limit memory and processes"};
}

Finding python(const Env& env) {
  const Result<std::string> version = capture(env, {"/usr/bin/python3", "--version"});
  if (version.ok()) return {"python3", true, std::string(trim(*version)), ""};
  return {"python3", false, "not found", "apt-get install python3"};
}

Finding venv(const Env& env) {
  const bool works = capture(env, {"/usr/bin/python3", "-c", "import venv, ensurepip"}).ok();
  if (works) return {"python3-venv", true, "present", ""};
  return {"python3-venv", false, "not found; runs with --requirements need it",
          "apt-get install python3-venv"};
}

Finding programs(const Env& env) {
  for (const char* program : {kController, kNodeAgent, kSandbox}) {
    if (!find_program(env, program).ok()) {
      return {"programs", false, cat(program, " is missing"),
              "install paddock's programs in one folder"};
    }
  }
  return {"programs", true, "all present", ""};
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
                             {"instance", ready_document(diagnosis.health)}};
}

std::string mark(const Stream& stream, bool good) {
  return good ? paint(stream, Paint::kGreen, "ok     ") : paint(stream, Paint::kRed, "missing");
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
    out.write(cat("  ", mark(out, each.good), "  ", pad_right(each.name, kWidth), "  ",
                  printable(each.details), "\n"));
    if (!each.remedy.empty()) out.write(cat("           remedy: ", each.remedy, "\n"));
  }
  out.write("Instance\n");
  const Health& health = diagnosis.health;
  out.write(health.ready() ? cat("  ", mark(out, true), "  ready at ", health.url, "\n")
                           : cat("  not ready: ", printable(health.reason), "\n"));
}

// Nothing that no run may be without is missing.
bool is_safe(const contracts::SandboxProof& proof) {
  const bool stopped = std::ranges::all_of(proof.canaries, [](const contracts::Canary& each) {
    return each.passed || !contracts::is_isolation(each.capability);
  });
  return stopped && !proof.canaries.empty();
}

// Cgroups are Linux's alone.
std::vector<Finding> host_findings(const Env& env) {
  std::vector<Finding> out = {kernel(), python(env), venv(env), programs(env)};
  if (out.front().details.starts_with("Linux")) out.insert(std::next(out.begin()), cgroups());
  return out;
}

}  // namespace

int doctor_command(const Parsed& parsed, Env& env) {
  const Result<OutputFormat> format = parse_output_format(parsed.text("output"));
  if (!format.ok()) return fail(env, format.error());
  Diagnosis diagnosis;
  diagnosis.host = host_findings(env);
  diagnosis.health = gather_health(connection_options(parsed), env);
  auto proof = probe(env);
  if (!proof.ok()) return fail(env, proof.error());
  diagnosis.sandbox = std::move(proof).value();
  if (is_document(*format)) {
    env.out.write(document_text(to_document(diagnosis), *format));
  } else {
    print(diagnosis, env);
  }
  return is_safe(diagnosis.sandbox) ? kExitOk : kExitFailure;
}

}  // namespace paddock::cli
