#include "common/client/left_out.h"

#include <string_view>

namespace paddock::client {
namespace {

// `runs[12].x` is `runs[].x`.
std::string of_any_element(std::string_view path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) out += c;
    if (c == '[') inside = true;
  }
  return out;
}

void leave_out(wire::Value& value, std::string_view path) {
  if (path.starts_with("[]")) {
    path.remove_prefix(path.starts_with("[].") ? 3 : 2);
    if (auto* items = value.array())
      for (wire::Value& each : *items) leave_out(each, path);
    return;
  }
  const size_t end = path.find_first_of(".[");
  if (end == path.npos) {
    if (value.object() != nullptr) value.erase(path);
    return;
  }
  wire::Value* const inner = value.find(path.substr(0, end));
  if (inner != nullptr) leave_out(*inner, path.substr(path[end] == '.' ? end + 1 : end));
}

}  // namespace

FieldPaths unknown_fields(const Error& error) {
  FieldPaths out;
  if (error.reason != "UNKNOWN_FIELD") return out;
  for (const Cause& cause : error.causes)
    if (!cause.field.empty()) out.insert(of_any_element(cause.field));
  return out;
}

void leave_out(wire::Value& body, const FieldPaths& paths) {
  for (const std::string& each : paths) leave_out(body, std::string_view(each));
}

}  // namespace paddock::client
