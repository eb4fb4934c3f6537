#include "common/mcp/argument_formats.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/base64_fault.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/contracts/names.h"
#include "common/mcp/arguments.h"
#include "common/mcp/faults.h"
#include "common/wire/json.h"

namespace paddock::mcp {
namespace {

using wire::Value;

Status name_format(const std::string& argument, const Value& value) {
  return check_name(argument, *value.string());
}

// Empty: one is made up, or none is meant.
Status optional_name_format(const std::string& argument, const Value& value) {
  return value.string()->empty() ? Status{} : name_format(argument, value);
}

Status key_format(const std::string& argument, const Value& value) {
  const std::string& key = *value.string();
  const bool good =
      key.size() <= 128 && std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; });
  if (good) return {};
  return bad_argument(cat(argument, " is at most 128 printable ASCII characters without spaces"),
                      argument);
}

Status bytes_format(const std::string& argument, const Value& value) {
  const std::string& said = *value.string();
  if (said.empty() || parse_quantity(said).ok()) return {};
  return bad_argument(cat(argument, " is a number of bytes, such as 512Mi, not ", quoted(said)),
                      argument);
}

Status duration_format(const std::string& argument, const Value& value) {
  const std::string& said = *value.string();
  if (said.empty() || parse_duration(said).ok()) return {};
  return bad_argument(
      cat(argument, " is a duration from 1ms on, such as 10m or 1h30m, not ", quoted(said)),
      argument);
}

Status path_format(const std::string& argument, const Value& value) {
  const auto path = inner_path(argument, *value.string());
  return path.ok() ? Status{} : path.error();
}

Status base64_format(const std::string& argument, const Value& value) {
  const std::string_view fault = base64_fault(*value.string());
  return fault.empty() ? Status{} : bad_argument(cat(argument, " ", fault), argument);
}

Status object_format(const std::string& argument, const Value& value) {
  const auto parsed = wire::parse_json(*value.string());
  if (parsed.ok() && parsed->object() != nullptr) return {};
  return bad_argument(cat(argument, " is the text of a JSON object, such as {\"n\": 1}"), argument);
}

// "NAME=value" each: hosts that are strict take no object whose members are not known.
Status variables_format(const std::string& argument, const Value& value) {
  Faults faults;
  std::set<std::string> names;
  size_t index = 0;
  for (const Value& each : *value.array()) {
    const std::string& word = *each.string();
    const std::string place = cat(argument, "[", index++, "]");
    const std::string name = word.substr(0, word.find('='));
    if (name.empty() || name.size() == word.size())
      faults.add(cat(argument, " holds NAME=value, not ", quoted(word)), place);
    else if (!names.insert(name).second)
      faults.add(cat(argument, " has ", quoted(name), " twice"), place);
  }
  return faults.status();
}

struct Format {
  std::string_view argument;
  Status (*check)(const std::string& argument, const Value& value);
};
constexpr std::array kFormats = {
    Format{"base64", base64_format},      Format{"disk", bytes_format},
    Format{"env", variables_format},      Format{"idempotencyKey", key_format},
    Format{"inputJson", object_format},   Format{"memory", bytes_format},
    Format{"name", optional_name_format}, Format{"path", path_format},
    Format{"run", name_format},           Format{"sandbox", name_format},
    Format{"timeout", duration_format},   Format{"workspace", optional_name_format},
};

}  // namespace

Status check_name(const std::string& argument, const std::string& name) {
  if (contracts::is_dns_label(name)) return {};
  return bad_argument(cat(argument,
                          " is a name in this server's namespace: lower-case letters, digits and "
                          "-, at most 63, not ",
                          quoted(name)),
                      argument);
}

Status check_format(const std::string& argument, const Value& value) {
  const std::string_view last = std::string_view(argument).substr(argument.rfind('.') + 1);
  const auto found = std::ranges::find(kFormats, last, &Format::argument);
  return found == kFormats.end() ? Status{} : found->check(argument, value);
}

}  // namespace paddock::mcp
