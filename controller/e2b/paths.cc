#include "controller/e2b/paths.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"

namespace paddock::e2b {
namespace {

using contracts::kSandboxWorkspace;
using wire::Value;

constexpr size_t kLongest = 4096;
// These stand for the session's folder, alone or with a name behind them.
constexpr std::array<std::string_view, 3> kHomes = {kSandboxWorkspace, "/home/user", "~"};

Error refuse(std::string_view field, std::string message) {
  return invalid_argument("INVALID_FIELD", std::move(message), std::string(field));
}

bool has_odd_letters(std::string_view path) {
  return !is_utf8(path) || std::ranges::any_of(path, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f || c == '\\';
  });
}

std::string_view without_home(std::string_view path) {
  for (const std::string_view home : kHomes) {
    if (path == home) return {};
    if (!path.starts_with(home) || path[home.size()] != '/') continue;
    path.remove_prefix(home.size());
    return path.substr(std::min(path.find_first_not_of('/'), path.size()));
  }
  return path;
}

std::string_view type_of(const contracts::SessionFile& file) {
  if (file.type == "file") return "FILE_TYPE_FILE";
  if (file.type == "folder") return "FILE_TYPE_DIRECTORY";
  return file.type == "link" ? "FILE_TYPE_SYMLINK" : "FILE_TYPE_UNSPECIFIED";
}

}  // namespace

Result<std::string> inner_path(std::string_view path, std::string_view field) {
  if (path.size() > kLongest) return refuse(field, "a path has at most 4096 bytes");
  if (has_odd_letters(path))
    return refuse(field, "a path is UTF-8 without control characters and \\");
  path = without_home(path);
  if (path.starts_with('/'))
    return refuse(field, cat("a sandbox keeps what is in ", kSandboxWorkspace,
                             " alone: say a path beneath it, or a relative one"));
  std::vector<std::string> names;
  for (std::string& name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") return refuse(field, "`..` leads out: say the path without it");
    names.push_back(std::move(name));
  }
  return join(names, "/");
}

std::string shown_path(std::string_view inner) {
  return inner.empty() ? std::string(kSandboxWorkspace) : cat(kSandboxWorkspace, "/", inner);
}

Error of_file(Error error, std::string_view path) {
  if (error.reason == "FILE_NOT_FOUND") error.message = cat("`", path, "`: ", error.message);
  return error;
}

std::string folder_of(std::string_view inner) {
  const size_t end = inner.rfind('/');
  return std::string(end == std::string_view::npos ? "" : inner.substr(0, end));
}

std::string name_of(std::string_view inner) {
  return std::string(inner.substr(inner.rfind('/') + 1));
}

Value entry_info(const contracts::SessionFile& file, std::string_view inner) {
  return Value::Object{{"name", file.name},
                       {"type", type_of(file)},
                       {"path", shown_path(inner)},
                       {"size", std::to_string(file.size)}};
}

Value folder_info(std::string_view inner) {
  const std::string name =
      inner.empty() ? std::string(kSandboxWorkspace.substr(1)) : name_of(inner);
  return entry_info({name, "folder", 0}, inner);
}

Value written_info(std::string_view inner) {
  return Value::Object{{"name", name_of(inner)}, {"type", "file"}, {"path", shown_path(inner)}};
}

}  // namespace paddock::e2b
