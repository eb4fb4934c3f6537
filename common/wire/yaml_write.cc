#include "common/base/text.h"
#include "common/wire/internal/json_scalar.h"
#include "common/wire/internal/yaml_scalar.h"
#include "common/wire/yaml.h"

namespace paddock::wire {
namespace {

// YAML reads `key: ` only from keys of at most 1024 characters on one line (section 7.4.2).
constexpr size_t kMaxSimpleKey = 1000;

std::string text_of(const std::string& text) {
  if (internal::is_plain_string(text)) return text;
  std::string out;
  internal::append_quoted(text, out);
  return out;
}

bool is_block(const Value& value) {
  const bool items = value.array() != nullptr && !value.array()->empty();
  return items || (value.object() != nullptr && !value.object()->empty());
}

class YamlWriter {
 public:
  // Writes a value that starts where the output ends; further lines start at `indent`.
  void write(const Value& value, size_t indent) {
    if (!is_block(value)) return write_leaf(value);
    if (const Value::Array* items = value.array()) return write_array(*items, indent);
    write_object(*value.object(), indent);
  }

  std::string out;

 private:
  void write_leaf(const Value& value) {
    if (value.is_null()) out += "null";
    if (const bool* boolean = value.boolean()) out += *boolean ? "true" : "false";
    if (const int64_t* integer = value.integer()) out += std::to_string(*integer);
    if (const double* number = value.number()) out += internal::number_to_text(*number);
    if (const std::string* text = value.string()) out += text_of(*text);
    if (value.array() != nullptr) out += "[]";
    if (value.object() != nullptr) out += "{}";
    out += '\n';
  }
  void write_array(const Value::Array& items, size_t indent) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out.append(indent, ' ');
      out += "- ";
      write(items[i], indent + 2);
    }
  }
  void write_object(const Value::Object& members, size_t indent) {
    for (size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out.append(indent, ' ');
      write_member(members[i], indent);
    }
  }
  void write_member(const Value::Member& member, size_t indent) {
    const std::string key = text_of(member.first);
    if (key.size() > kMaxSimpleKey) {
      out += cat("? ", key, "\n");
      out.append(indent, ' ');
      out += ": ";
      return write(member.second, indent + 2);
    }
    out += cat(key, ":");
    if (!is_block(member.second)) {
      out += ' ';
      return write_leaf(member.second);
    }
    // Lists stand below their key without indentation, as kubectl writes them.
    const size_t below = member.second.array() != nullptr ? indent : indent + 2;
    out += '\n';
    out.append(below, ' ');
    write(member.second, below);
  }
};

}  // namespace

std::string to_yaml(const Value& value) {
  YamlWriter writer;
  writer.write(value, 0);
  return std::move(writer.out);
}

}  // namespace paddock::wire
