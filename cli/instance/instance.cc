#include "cli/instance/instance.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr size_t kMaxName = 128;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string value_of(const std::map<std::string, std::string>& vars, const std::string& name) {
  const auto found = vars.find(name);
  return found == vars.end() ? std::string() : found->second;
}

}  // namespace

Status check_instance_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kMaxName && is_letter_or_digit(name[0]) &&
                    std::ranges::all_of(name, [](char c) {
                      return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
                    });
  if (good) return {};
  return invalid_argument(
      "INVALID_INSTANCE_NAME",
      "an instance name is 1 to 128 letters, digits, dots, dashes and underscores, "
      "and starts with a letter or digit",
      "--instance");
}

Result<std::string> state_root(const std::map<std::string, std::string>& vars, bool root) {
  if (const std::string home = value_of(vars, "PADDOCK_HOME"); !home.empty()) {
    if (home[0] == '/') return home;
    return invalid_argument("INVALID_HOME", "must be an absolute path", "PADDOCK_HOME");
  }
  if (root) return std::string("/var/lib/paddock");
  if (const std::string xdg = value_of(vars, "XDG_STATE_HOME"); xdg.starts_with('/')) {
    return xdg + "/paddock";
  }
  if (const std::string home = value_of(vars, "HOME"); home.starts_with('/')) {
    return home + "/.local/state/paddock";
  }
  return Error{Code::kFailedPrecondition, "NO_HOME",
               "set PADDOCK_HOME to a folder for paddock's state"};
}

std::string InstancePaths::socket(std::string_view program) const {
  return cat(run_folder(), "/", program, ".sock");
}

std::string InstancePaths::log_folder(std::string_view program) const {
  return cat(folder, "/logs/", program);
}

Result<InstancePaths> instance_paths(const std::string& root, const std::string& name,
                                     const std::string& data_dir) {
  TRY(check_instance_name(name));
  const std::string folder = cat(root, "/instances/", name);
  return InstancePaths{name, folder, data_dir.empty() ? folder : data_dir};
}

Result<InstanceSettings> read_settings(const std::string& path) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(path));
  if (!there) return InstanceSettings{};
  const auto damaged = [](const Error& cause) {
    return Error{Code::kFailedPrecondition, "SETTINGS_DAMAGED",
                 cat("the instance's settings.json cannot be read (", cause.message,
                     "); remove it, and pass --port, --data-dir, --network and sources of packages "
                     "to `up` as before"),
                 cause.causes};
  };
  const Result<std::string> text = os::read_file(path, 64 << 10);
  if (!text) return damaged(text.error());
  const Result<wire::Value> value = wire::parse_json(*text);
  if (!value) return damaged(value.error());
  Result<InstanceSettings> settings = wire::decode<InstanceSettings>(*value);
  if (!settings) return damaged(settings.error());
  return settings;
}

Status write_settings(const std::string& path, const InstanceSettings& settings) {
  return os::write_file_atomic(path, wire::to_pretty_json(wire::encode(settings)));
}

std::string network_line(const InstanceSettings& settings, bool by_variables) {
  constexpr const char* kAllowed = "runs may ask for hosts (--allow-domain)";
  if (settings.network) return kAllowed;
  if (!by_variables) return "none; `paddock up --network` lets runs ask for hosts";
  return cat(kAllowed, " by ", kNetworkVariables[0], " and ", kNetworkVariables[1],
             ", until the next `paddock up`; --network keeps it");
}

}  // namespace paddock::cli
