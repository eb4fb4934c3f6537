// `paddock doctor`: what this host can enforce, which tools it has, and how an instance is doing.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/commands/commands.h"
#include "cli/core/error_text.h"
#include "cli/core/exit_codes.h"
#include "cli/core/health.h"
#include "cli/core/launch_here.h"
#include "cli/core/output_format.h"
#include "cli/core/program.h"
#include "cli/core/table.h"
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
  std::vector<contracts::Capability> capabilities;
  std::vector<Finding> host;
  Health health;
};

Result<std::vector<contracts::Capability>> probe(const Env& env) {
  ASSIGN_OR_RETURN(const std::string program, find_program(env, kSandbox));
  ASSIGN_OR_RETURN(const std::string text, capture(env, {program, "probe"}));
  ASSIGN_OR_RETURN(const wire::Value list, wire::parse_json(text));
  std::vector<contracts::Capability> out;
  const auto* items = list.array();
  if (items == nullptr)
    return Error{Code::kInternal, "PROGRAM_FAILED", "the probe printed something else"};
  for (const wire::Value& item : *items) {
    ASSIGN_OR_RETURN(contracts::Capability each, wire::decode<contracts::Capability>(item));
    out.push_back(std::move(each));
  }
  return out;
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
  wire::Value capabilities = wire::Value::Array{};
  for (const auto& each : diagnosis.capabilities) capabilities.push_back(wire::encode(each));
  wire::Value host = wire::Value::Array{};
  for (const Finding& each : diagnosis.host) {
    host.push_back(wire::Value::Object{{"name", each.name},
                                       {"ok", each.good},
                                       {"details", each.details},
                                       {"remedy", each.remedy}});
  }
  return wire::Value::Object{{"sandbox", std::move(capabilities)},
                             {"host", std::move(host)},
                             {"instance", ready_document(diagnosis.health)}};
}

std::string mark(const Stream& stream, bool good) {
  return good ? paint(stream, Paint::kGreen, "ok     ") : paint(stream, Paint::kRed, "missing");
}

void print(const Diagnosis& diagnosis, const Env& env) {
  const Stream& out = env.out;
  out.write("Sandbox: what this host enforces, tried just now\n");
  size_t width = 0;
  for (const auto& each : diagnosis.capabilities) width = std::max(width, each.name.size());
  for (const auto& each : diagnosis.capabilities) {
    out.write(cat("  ", mark(out, each.available), "  ", pad_right(printable(each.name), width),
                  "  ", printable(each.mechanism), "\n"));
    if (!each.details.empty()) out.write(cat("           ", printable(each.details), "\n"));
  }
  out.write("Host\n");
  for (const Finding& each : diagnosis.host) {
    out.write(cat("  ", mark(out, each.good), "  ", pad_right(each.name, width), "  ",
                  printable(each.details), "\n"));
    if (!each.remedy.empty()) out.write(cat("           remedy: ", each.remedy, "\n"));
  }
  out.write("Instance\n");
  const Health& health = diagnosis.health;
  out.write(health.ready() ? cat("  ", mark(out, true), "  ready at ", health.url, "\n")
                           : cat("  not ready: ", printable(health.reason), "\n"));
}

// What no run may be without.
bool is_essential(const std::string& capability) {
  constexpr std::array kEssential = {std::string_view("sandbox"), std::string_view("filesystem"),
                                     std::string_view("network"), std::string_view("processes"),
                                     std::string_view("syscalls")};
  return std::ranges::find(kEssential, capability) != kEssential.end();
}

}  // namespace

int doctor_command(const Parsed& parsed, Env& env) {
  const Result<OutputFormat> format = parse_output_format(parsed.text("output"));
  if (!format.ok()) return fail(env, format.error());
  Diagnosis diagnosis;
  diagnosis.host = {kernel(), cgroups(), python(env), venv(env), programs(env)};
  diagnosis.health = gather_health(connection_options(parsed), env);
  auto capabilities = probe(env);
  if (!capabilities.ok()) return fail(env, capabilities.error());
  diagnosis.capabilities = std::move(capabilities).value();
  if (is_document(*format)) {
    env.out.write(document_text(to_document(diagnosis), *format));
  } else {
    print(diagnosis, env);
  }
  const bool safe = std::ranges::all_of(
      diagnosis.capabilities,
      [](const contracts::Capability& each) { return each.available || !is_essential(each.name); });
  return safe ? kExitOk : kExitFailure;
}

}  // namespace paddock::cli
