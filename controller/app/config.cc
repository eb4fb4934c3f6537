#include "controller/app/config.h"

#include "common/base/text.h"
#include "common/wire/yaml.h"

namespace paddock::app {
namespace {

constexpr std::string_view kPrefix = "PADDOCK_CONTROLLER_";

// `maxBlob` as `MAX_BLOB`.
std::string upper_snake(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') out += '_';
    out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

void add_keys(const wire::Value& schema, const std::string& variable, const std::string& path,
              std::map<std::string, std::string>& out) {
  const wire::Value* properties = schema.find("properties");
  if (properties == nullptr) {
    out[variable] = path;
    return;
  }
  for (const auto& [key, child] : *properties->object()) {
    add_keys(child, cat(variable, variable.ends_with('_') ? "" : "_", upper_snake(key)),
             path.empty() ? key : cat(path, ".", key), out);
  }
}

void set_path(wire::Value& document, std::string_view path, wire::Value value) {
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) return document.set(path, std::move(value));
  const std::string_view head = path.substr(0, dot);
  if (document.find(head) == nullptr || document.find(head)->is_null())
    document.set(head, wire::Value::Object{});
  if (wire::Value* child = document.find(head))
    set_path(*child, path.substr(dot + 1), std::move(value));
}

Error config_error(const Error& cause, std::string_view where) {
  Error error = cause;
  error.reason = "CONFIG_INVALID";
  error.message = cat(where, ": ", cause.message);
  return error;
}

Status apply_environment(const std::map<std::string, std::string>& environment,
                         wire::Value& document) {
  const std::map<std::string, std::string> variables = config_variables();
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(kPrefix)) continue;
    const auto known = variables.find(name);
    if (known == variables.end())
      return invalid_argument("CONFIG_INVALID", cat(name, " names no configuration key"), name);
    const Result<wire::Value> value = wire::parse_yaml(text);
    if (!value) return config_error(value.error(), name);
    set_path(document, known->second, *value);
  }
  return {};
}

}  // namespace

void Config::validate(wire::Check& check) const {
  if (tls.cert_file.empty() != tls.key_file.empty())
    check.fail("tls", "certFile and keyFile belong together");
  if (plain_http && !tls.cert_file.empty())
    check.fail("plainHttpOnLoopback", "must be false when tls is given");
  if (log_level != "debug" && log_level != "info" && log_level != "warn" && log_level != "error") {
    check.fail("logLevel", "must be debug, info, warn or error");
  }
  if (!data_dir.starts_with('/')) check.fail("dataDir", "must be an absolute path");
}

std::map<std::string, std::string> config_variables() {
  std::map<std::string, std::string> out;
  add_keys(wire::schema<Config>(), std::string(kPrefix), {}, out);
  return out;
}

Result<Config> load_config(std::string_view yaml,
                           const std::map<std::string, std::string>& environment) {
  wire::Value document = wire::Value::Object{};
  if (!trim(yaml).empty()) {
    Result<wire::Value> parsed = wire::parse_yaml(yaml);
    if (!parsed) return config_error(parsed.error(), "configuration file");
    if (!parsed->is_null()) document = std::move(*parsed);
  }
  TRY(apply_environment(environment, document));
  Result<Config> config = wire::decode<Config>(document);
  if (!config) return config_error(config.error(), "configuration");
  return config;
}

}  // namespace paddock::app
