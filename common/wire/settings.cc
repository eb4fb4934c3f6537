#include "common/wire/settings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/fault_sentence.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/wire/check.h"
#include "common/wire/near_fields.h"
#include "common/wire/places.h"
#include "common/wire/yaml.h"
#include "common/wire/yaml_lines.h"

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

// Whether it is that field or a part of it.
bool is_below(std::string_view field, std::string_view path) {
  if (path.empty() || !field.starts_with(path)) return false;
  const std::string_view rest = field.substr(path.size());
  return rest.empty() || rest.front() == '.' || rest.front() == '[';
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

// The message about a text that is no document may quote one piece of it, which may hold quotes
// itself.
std::string shown_message(const std::string& message) {
  const size_t first = message.find('"');
  const size_t last = message.rfind('"');
  if (first == last) return message;
  const std::string quoted = message.substr(first + 1, last - first - 1);
  if (is_name(quoted)) return message;
  return cat(message.substr(0, first + 1), kLeftOut, message.substr(last));
}

Cause unreadable(const Error& text, std::string_view where) {
  return {"", cat(where, ": ", without_content(text).message)};
}

void add_fault(std::optional<Error>& all, Cause fault) {
  if (!all) all = Error{Code::kInvalidArgument, "CONFIG_INVALID", {}};
  all->causes.push_back(std::move(fault));
  ++all->faults;
  tell_faults(*all);
}

void find_nulls(const Value& value, Check& check) {
  if (value.is_null())
    check.fail(
        "null says nothing here, and what it leaves out may be what protects: give it a "
        "value, or leave it out");
  if (const Value::Object* members = value.object()) {
    for (const auto& [key, child] : *members) {
      const Check::Scope scope(check, key);
      find_nulls(child, check);
    }
  }
}

}  // namespace

Status check_no_nulls(const Value& document, const std::vector<std::string_view>& paths) {
  Check check;
  for (const std::string_view path : paths) {
    const Check::Scope scope(check, path);
    if (const Value* value = document.at(path)) find_nulls(*value, check);
  }
  return check.ok() ? Status() : Status(check.error());
}

Error without_content(Error error) {
  if (error.causes.empty()) {
    error.message = shown_message(error.message);
    return error;
  }
  rename_fields(error, shown_path);
  return error;
}

std::map<std::string, std::string> settings_variables(std::string_view prefix,
                                                      const Value& schema) {
  std::map<std::string, std::string> out;
  add_keys(schema, std::string(prefix), {}, out);
  return out;
}

SettingsSource::SettingsSource(std::string_view yaml,
                               const std::map<std::string, std::string>& environment,
                               std::string_view prefix, const Value& schema, SettingsNames names)
    : yaml_(yaml),
      environment_(environment),
      prefix_(prefix),
      schema_(schema),
      variables_(settings_variables(prefix, schema)),
      names_(std::move(names)) {}

Result<Value> SettingsSource::read() const {
  Value document = Value::Object{};
  std::optional<Error> wrong;
  if (!trim(yaml_).empty()) {
    Result<Value> parsed = parse_yaml(yaml_);
    if (!parsed)
      add_fault(wrong, unreadable(parsed.error(),
                                  names_.file.empty() ? "configuration file" : names_.file));
    else if (!parsed->is_null())
      document = std::move(*parsed);
  }
  apply_environment(document, wrong);
  if (wrong) return faults(std::move(wrong)).error();
  return document;
}

// All of them at once: one whose name is wrong is mostly not alone.
void SettingsSource::check_variables(std::optional<Error>& all) const {
  std::vector<std::string> names;
  for (const auto& [variable, path] : variables_) names.push_back(variable);
  for (const auto& [name, text] : environment_) {
    if (!name.starts_with(prefix_) || variables_.contains(name)) continue;
    const std::string near = nearest(name, names);
    const std::string words =
        cat("names no configuration key", near.empty() ? "" : cat("; did you mean `", near, "`?"));
    add_fault(all, {name, words});
  }
}

void SettingsSource::apply_environment(Value& document, std::optional<Error>& all) const {
  for (const auto& [name, text] : environment_) {
    const auto known = variables_.find(name);
    if (known == variables_.end()) continue;
    const Result<Value> value = parse_yaml(text);
    if (value)
      set_path(document, known->second, *value);
    else
      add_fault(all, unreadable(value.error(), name_of(name)));
  }
}

Status SettingsSource::faults(std::optional<Error> values) const {
  check_variables(values);
  return values ? Status(*std::move(values)) : Status();
}

// Also each null that leaves out what protects.
Status SettingsSource::check(const Status& values, const Status& nulls) const {
  if (values.ok() && nulls.ok()) return faults({});
  if (values.ok() || nulls.ok()) return all_faults(values.ok() ? nulls.error() : values.error());
  Error both = values.error();
  both.causes.insert(both.causes.end(), nulls.error().causes.begin(), nulls.error().causes.end());
  both.faults += nulls.error().faults;
  tell_faults(both);
  return all_faults(both);
}

Error SettingsSource::all_faults(const Error& values) const {
  const std::vector<std::string> places = places_of(values);
  Error error = with_near_fields(without_content(values), schema_);
  error.reason = "CONFIG_INVALID";
  error = faults(with_places(std::move(error), places)).error();
  if (!places.empty() && places.front().empty())
    error.message = cat("configuration: ", error.message);
  return error;
}

// A variable wins over the file, and one that sets a part of a field is nearer than a whole file.
std::vector<std::string> SettingsSource::places_of(const Error& cause) const {
  const YamlLines lines{std::string(yaml_)};
  std::vector<std::string> places;
  for (const Cause& each : cause.causes) {
    std::string place = variable_of(each.field);
    const auto line = names_.file.empty() ? std::nullopt : lines.of(each.field);
    if (place.empty() && line) place = cat(names_.file, ":", *line);
    if (place.empty()) place = variable_below(each.field);
    places.push_back(place.empty() ? names_.file : place);
  }
  return places;
}

std::string SettingsSource::variable_of(std::string_view field) const {
  for (const auto& [variable, path] : variables_) {
    if (environment_.contains(variable) && is_below(field, path)) return name_of(variable);
  }
  return "";
}

std::string SettingsSource::variable_below(std::string_view field) const {
  for (const auto& [variable, path] : variables_) {
    if (environment_.contains(variable) && is_below(path, field)) return name_of(variable);
  }
  return "";
}

std::string SettingsSource::name_of(const std::string& variable) const {
  const auto flag = names_.flags.find(variable);
  return flag == names_.flags.end() ? variable : flag->second;
}

}  // namespace paddock::wire
