#include "cli/grammar/limits_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/grammar/command_table.h"
#include "cli/terminal/terminal.h"
#include "common/base/text.h"
#include "common/contracts/limit_field.h"

namespace paddock::cli {
namespace {

struct LimitOption {
  std::string_view field;   // of SandboxLimits
  std::string_view option;  // that raises it
};
// A limit without an option of its own is raised by --policy.
constexpr std::array kOptions = {
    LimitOption{"wallTime", "--timeout"},     LimitOption{"cpuTime", "--cpu-time"},
    LimitOption{"memory", "--memory"},        LimitOption{"pids", "--pids"},
    LimitOption{"openFiles", "--open-files"}, LimitOption{"fileSize", "--disk"},
    LimitOption{"fsBytes", "--disk"},         LimitOption{"fileCount", "--file-count"},
    LimitOption{"stdout", "--output-bytes"},  LimitOption{"stderr", "--output-bytes"},
};

bool has_option(const CommandRow& row, std::string_view option) {
  return std::ranges::any_of(row.options, [&](const OptionRow& each) {
    return each.names.find(option) != std::string::npos;
  });
}

std::string_view option_for(std::string_view field, const std::string& command) {
  const auto found = std::ranges::find(kOptions, field, &LimitOption::field);
  const CommandRow* row = find_command(command);
  const bool own = found != kOptions.end() && row != nullptr && has_option(*row, found->option);
  return own ? found->option : "--policy";
}

std::string network_text(const contracts::SandboxPolicy& policy) {
  const auto& network = policy.network;
  if (!network || (!network->enabled && !network->loopback.value_or(false))) return "no network";
  if (!network->enabled) return "no network but localhost";
  return cat("network to ", join(network->allow_domains, " "));
}

void add(const contracts::SandboxLimits& limits, std::string_view field, std::string_view word,
         std::vector<std::string>& out) {
  const std::string value = contracts::limit_text(limits, field);
  if (!value.empty()) out.push_back(cat(value, word));
}

void add_cores(const contracts::Run& run, std::vector<std::string>& out) {
  const auto& resources = run.spec.resources;
  if (!resources || !resources->cpu) return;
  out.push_back(cat(*resources->cpu, *resources->cpu == 1 ? " core" : " cores"));
}

}  // namespace

std::string limits_line(const contracts::Run& run) {
  if (!run.status.policy) return "";
  const contracts::SandboxPolicy& policy = *run.status.policy;
  std::vector<std::string> parts;
  add(policy.limits, "wallTime", "", parts);
  add(policy.limits, "memory", " memory", parts);
  add(policy.limits, "pids", " processes", parts);
  add(policy.limits, "fsBytes", " disk", parts);
  add_cores(run, parts);
  parts.push_back(network_text(policy));
  const bool none = run.spec.artifacts.dirs.empty();
  if (none) parts.emplace_back("no file comes back");
  return printable(cat("limits: ", join(parts, ", "),
                       " (--timeout, --memory, --pids, --disk, --cpu, --allow-domain",
                       none ? ", --artifact-dir)" : ")"));
}

std::string limits_struck(const contracts::SandboxResult& result, const std::string& command) {
  std::vector<std::string_view> fields = contracts::limits_outlived(result);
  const std::string_view end = contracts::limit_that_ended(result);
  if (!end.empty()) fields.insert(fields.begin(), end);
  if (end.empty())
    std::ranges::copy(contracts::limits_complained_of(result), std::back_inserter(fields));
  std::string out;
  for (const std::string_view field : fields) {
    const std::string value = contracts::limit_text(result, field);
    out += cat("limit: ", field, value.empty() ? "" : cat(" was ", value), "; ",
               option_for(field, command), " raises it\n");
  }
  return out;
}

}  // namespace paddock::cli
