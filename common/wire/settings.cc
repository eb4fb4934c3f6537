#include "common/wire/settings.h"

#include <algorithm>
#include <vector>

#include "common/base/text.h"
#include "common/wire/yaml.h"

namespace paddock::wire {
namespace {

// `maxBlob` as `MAX_BLOB`.
std::string upper_snake(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') out += '_';
    out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

void add_keys(const Value& schema, const std::string& variable, const std::string& path,
              std::map<std::string, std::string>& out) {
  const Value* properties = schema.find("properties");
  if (properties == nullptr) {
    out[variable] = path;
    return;
  }
  for (const auto& [key, child] : *properties->object()) {
    add_keys(child, cat(variable, variable.ends_with('_') ? "" : "_", upper_snake(key)),
             path.empty() ? key : cat(path, ".", key), out);
  }
}

void set_path(Value& document, std::string_view path, Value value) {
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) return document.set(path, std::move(value));
  const std::string_view head = path.substr(0, dot);
  if (document.find(head) == nullptr || document.find(head)->is_null())
    document.set(head, Value::Object{});
  if (Value* child = document.find(head)) set_path(*child, path.substr(dot + 1), std::move(value));
}

Status apply_environment(const std::map<std::string, std::string>& environment,
                         std::string_view prefix, const Value& schema, Value& document) {
  const std::map<std::string, std::string> variables = settings_variables(prefix, schema);
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(prefix)) continue;
    const auto known = variables.find(name);
    if (known == variables.end())
      return invalid_argument("CONFIG_INVALID", cat(name, " names no configuration key"), name);
    const Result<Value> value = parse_yaml(text);
    if (!value) return settings_error(value.error(), name);
    set_path(document, known->second, *value);
  }
  return {};
}

constexpr size_t kMostName = 64;
constexpr size_t kMostPath = 2 * kMostName;
constexpr const char* kLeftOut = "…";

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// A key, with the brackets of an index behind it; `*` is a key of ours.
bool is_name(std::string_view text) {
  return text.size() <= kMostName && std::ranges::all_of(text, [](char c) {
           return is_name_letter(c) || c == '[' || c == ']' || c == '*';
         });
}

// A dot may be in a key too: nothing is shown behind the first part that is no name.
std::string shown_path(const std::string& path) {
  std::vector<std::string> shown;
  size_t length = 0;
  for (const std::string& part : split(path, '.')) {
    length += part.size() + 1;
    const bool shows = is_name(part) && length <= kMostPath;
    shown.push_back(shows ? part : kLeftOut);
    if (!shows) break;
  }
  return join(shown, ".");
}

// Of a text that is no document the message may quote one piece, with quotes in it.
std::string shown_message(const std::string& message) {
  const size_t first = message.find('"');
  const size_t last = message.rfind('"');
  if (first == last) return message;
  const std::string quoted = message.substr(first + 1, last - first - 1);
  if (is_name(quoted)) return message;
  return cat(message.substr(0, first + 1), kLeftOut, message.substr(last));
}

}  // namespace

Error without_content(Error error) {
  if (error.causes.empty()) {
    error.message = shown_message(error.message);
    return error;
  }
  // As Check::error() begins it.
  const std::string& first = error.causes.front().field;
  if (error.message.starts_with(first)) error.message.replace(0, first.size(), shown_path(first));
  for (Cause& cause : error.causes) cause.field = shown_path(cause.field);
  return error;
}

Error settings_error(const Error& cause, std::string_view where) {
  Error error = without_content(cause);
  error.reason = "CONFIG_INVALID";
  error.message = cat(where, ": ", error.message);
  return error;
}

std::map<std::string, std::string> settings_variables(std::string_view prefix,
                                                      const Value& schema) {
  std::map<std::string, std::string> out;
  add_keys(schema, std::string(prefix), {}, out);
  return out;
}

Result<Value> read_settings(std::string_view yaml,
                            const std::map<std::string, std::string>& environment,
                            std::string_view prefix, const Value& schema) {
  Value document = Value::Object{};
  if (!trim(yaml).empty()) {
    Result<Value> parsed = parse_yaml(yaml);
    if (!parsed) return settings_error(parsed.error(), "configuration file");
    if (!parsed->is_null()) document = std::move(*parsed);
  }
  TRY(apply_environment(environment, prefix, schema, document));
  return document;
}

}  // namespace paddock::wire
