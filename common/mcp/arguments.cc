#include "common/mcp/arguments.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/tree_path.h"
#include "common/mcp/argument_formats.h"
#include "common/mcp/faults.h"
#include "common/wire/whole_number.h"

namespace paddock::mcp {
namespace {

using wire::Value;

constexpr std::string_view kFolder = "/workspace";
constexpr size_t kMostPath = 4096;

// Collects what is wrong, each said of `argument`: its name, or that and a place in it.
class Checker {
 public:
  void check(const Value& schema, const Value& value, const std::string& argument) {
    const std::string type = schema.text("type");
    if (type != value.type_name())
      return fail(cat(argument, " is ", article(type), ", not ", value.type_name()), argument);
    const size_t before = faults_.count();
    if (type == "object") check_members(schema, value, argument);
    if (type == "array") check_items(schema, value, argument);
    if (type == "integer") check_range(schema, *value.integer(), argument);
    if (type == "string") check_text(schema, *value.string(), argument);
    if (faults_.count() == before) faults_.add(check_format(argument, value));
  }

  void check_members(const Value& schema, const Value& value, const std::string& argument) {
    const std::string prefix = argument.empty() ? "" : argument + ".";
    const Value* known = schema.find("properties");
    for (const auto& [name, member] : *value.object()) {
      if (const Value* property = known->find(name)) {
        check(*property, member, prefix + name);
      } else {
        // A caller may send any number of them, and the list is long.
        fail(faults_.has_room() ? cat("there is no argument ", prefix, quoted(name),
                                      "; there are: ", names_of(*known))
                                : "",
             prefix + quoted(name));
      }
    }
    check_required(schema, value, prefix);
  }

  Status status() const { return faults_.status(); }

 private:
  void fail(std::string message, std::string field) {
    faults_.add(std::move(message), std::move(field));
  }

  void check_required(const Value& schema, const Value& value, const std::string& prefix) {
    const Value* required = schema.find("required");
    if (required == nullptr) return;
    for (const Value& name : *required->array()) {
      if (value.find(*name.string()) == nullptr)
        fail(cat("the argument ", prefix, *name.string(), " is missing"), prefix + *name.string());
    }
  }

  void check_items(const Value& schema, const Value& value, const std::string& argument) {
    const Value& item = *schema.find("items");
    size_t index = 0;
    for (const Value& each : *value.array()) check(item, each, cat(argument, "[", index++, "]"));
  }

  void check_range(const Value& schema, int64_t value, const std::string& argument) {
    const Value* least = schema.find("minimum");
    if (least == nullptr) return;
    const int64_t min = *least->integer();
    const int64_t max = *schema.find("maximum")->integer();
    if (value < min || value > max)
      fail(cat(argument, " is a whole number from ", min, " to ", max), argument);
  }

  void check_text(const Value& schema, const std::string& value, const std::string& argument) {
    if (value.find('\0') != std::string::npos)
      return fail(cat(argument, " must not have a NUL character"), argument);
    const Value* words = schema.find("enum");
    if (words == nullptr) return;
    if (std::ranges::find(*words->array(), Value(value)) != words->array()->end()) return;
    fail(cat(argument, " is one of ", join_words(*words->array()), ", not ", quoted(value)),
         argument);
  }

  static std::string names_of(const Value& properties) {
    std::vector<std::string> names;
    for (const auto& [name, each] : *properties.object()) names.push_back(name);
    return names.empty() ? "none" : join(names, ", ");
  }

  static std::string join_words(const Value::Array& words) {
    std::vector<std::string> out;
    for (const Value& word : words) out.push_back(*word.string());
    return join(out, ", ");
  }

  static std::string article(const std::string& type) {
    if (type == "integer") return "a whole number";
    return cat(type == "array" || type == "object" ? "an " : "a ", type);
  }

  Faults faults_;
};

// Unchanged where it is no whole number, or none that a double holds exactly.
Value as_integer(const Value& value) {
  const auto whole = wire::whole_number(value);
  return whole ? Value(*whole) : value;
}

}  // namespace

Error bad_argument(std::string message, std::string field) {
  return invalid_argument("ARGUMENT_INVALID", std::move(message), std::move(field));
}

std::string quoted(std::string_view text) {
  constexpr size_t kMost = 80;
  std::string out = to_utf8_lossy(text.substr(0, kMost));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return cat("\"", out, text.size() > kMost ? "…\"" : "\"");
}

Value plain_arguments(const Value& schema, const Value& arguments) {
  const std::string type = schema.text("type");
  if (type == "integer") return as_integer(arguments);
  if (type == "array" && arguments.array() != nullptr) {
    Value::Array items;
    for (const Value& each : *arguments.array())
      items.push_back(plain_arguments(*schema.find("items"), each));
    return items;
  }
  if (type != "object" || arguments.object() == nullptr) return arguments;
  Value::Object members;
  for (const auto& [name, member] : *arguments.object()) {
    const Value* property = schema.find("properties")->find(name);
    if (property != nullptr && member.is_null()) continue;
    members.emplace_back(name, property == nullptr ? member : plain_arguments(*property, member));
  }
  return members;
}

Status check_arguments(const Value& schema, const Value& arguments) {
  Checker checker;
  checker.check_members(schema, arguments, "");
  return checker.status();
}

int64_t Arguments::integer(std::string_view name, int64_t fallback) const {
  return integer(name).value_or(fallback);
}

std::optional<int64_t> Arguments::integer(std::string_view name) const {
  const Value* value = values_.find(name);
  return value == nullptr ? std::nullopt : std::optional(*value->integer());
}

Result<std::string> Arguments::name(std::string_view argument, bool optional) const {
  std::string name = text(argument);
  if (!optional || !name.empty()) TRY(check_name(std::string(argument), name));
  return name;
}

Result<std::string> inner_path(std::string_view argument, std::string_view path) {
  std::string_view inside = path;
  if (inside == kFolder || inside.starts_with("/workspace/")) inside.remove_prefix(kFolder.size());
  while (inside.starts_with("/") && inside.size() < path.size()) inside.remove_prefix(1);
  while (inside.starts_with("./")) inside.remove_prefix(2);
  while (inside.size() > 1 && inside.ends_with('/')) inside.remove_suffix(1);
  if (inside.empty() || inside == ".") return std::string();
  const std::string fault =
      inside.size() > kMostPath ? "is longer than 4096 bytes" : contracts::tree_path_fault(inside);
  if (fault.empty()) return std::string(inside);
  return bad_argument(cat(argument, " ", fault,
                          ": it is a path below /workspace, such as src/a.py, "
                          "not ",
                          quoted(path)),
                      std::string(argument));
}

Result<std::string> content_of(const Arguments& given, const std::string& where) {
  const Value* plain = given.find("text");
  const Value* coded = given.find("base64");
  if ((plain == nullptr) == (coded == nullptr))
    return bad_argument("a file has either text or base64", where + "text");
  if (plain != nullptr) return *plain->string();
  auto bytes = decode_base64(*coded->string());
  if (!bytes) return check_format(where + "base64", *coded).error();
  return std::move(*bytes);
}

}  // namespace paddock::mcp
