#include "cli/options/session_options.h"

#include "cli/options/option_document.h"
#include "cli/options/option_values.h"
#include "cli/options/policy_options.h"
#include "cli/options/sandbox_options.h"

namespace paddock::cli {
namespace {

Status apply_limits(const Parsed& parsed, contracts::SessionLimits& limits) {
  ASSIGN_OR_RETURN(const auto timeout, duration_option(parsed, "timeout"));
  ASSIGN_OR_RETURN(const auto memory, quantity_option(parsed, "memory"));
  ASSIGN_OR_RETURN(const auto files, quantity_option(parsed, "fs-bytes"));
  if (timeout) limits.timeout_ms = timeout->count();
  if (memory) limits.memory_bytes = *memory;
  if (files) limits.fs_bytes = *files;
  return {};
}

Status apply_options(const Parsed& parsed, const std::string& cwd,
                     contracts::SecurityOptions& security) {
  TRY(apply_limits(parsed, security.limits));
  for (const std::string& text : parsed.list("mount")) {
    ASSIGN_OR_RETURN(contracts::HostMount mount, parse_mount(text, cwd));
    security.host_mounts.push_back(std::move(mount));
  }
  if (parsed.has("tool")) security.tool_allowlist = parsed.list("tool");
  for (const std::string& domain : parsed.list("allow-domain")) {
    security.network.enabled = true;
    security.network.allow_domains.push_back(domain);
  }
  return {};
}

}  // namespace

Result<contracts::SandboxSpec> session_spec(const Parsed& parsed, const Env& env,
                                            const std::optional<std::string>& security_text) {
  contracts::SandboxSpec spec;
  if (security_text) {
    ASSIGN_OR_RETURN(spec.security, decode_document<contracts::SecurityOptions>(
                                        parsed.text("security", "--security"), *security_text));
  }
  TRY(apply_options(parsed, env.cwd, spec.security));
  ASSIGN_OR_RETURN(const auto idle, duration_option(parsed, "idle-timeout"));
  ASSIGN_OR_RETURN(const auto lifetime, duration_option(parsed, "lifetime"));
  ASSIGN_OR_RETURN(const auto grace, wait_option(parsed, "grace"));
  if (grace) spec.termination_grace = wire::Wait{*grace};
  if (idle) spec.idle_timeout = wire::Duration{*idle};
  if (lifetime) spec.lifetime = wire::Duration{*lifetime};
  return spec;
}

std::string shell_text(const std::vector<std::string>& words) {
  if (words.size() == 1) return words[0];
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace paddock::cli
