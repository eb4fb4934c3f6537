#include "common/contracts/tool_bundle_rules.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/contracts/homes.h"
#include "common/contracts/inner_paths.h"

namespace paddock::contracts {
namespace {

constexpr size_t kLongestId = 64;
constexpr size_t kLongestName = 256;
constexpr size_t kLongestText = 8192;
constexpr size_t kMostArguments = 64;
constexpr size_t kMostPairs = 64;
// Where programs are inside.
constexpr std::array<std::string_view, 6> kProgramFolders = {"/workspace", "/venv", "/node_modules",
                                                             "/usr",       "/bin",  "/opt"};
// Headers that the HTTP client sets itself.
constexpr std::array<std::string_view, 6> kOwnHeaders = {
    "host", "content-length", "transfer-encoding", "connection", "upgrade", "te"};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  });
}

// A name in a message: short and printable.
std::string shown(std::string_view name) {
  return is_printable(name) ? to_utf8_lossy(name.substr(0, 64)) : std::string("?");
}

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId && is_letter_or_digit(id[0]) &&
         std::ranges::all_of(id,
                             [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; });
}

// A name that PATH finds, or a path to where programs are inside.
bool is_program(std::string_view command) {
  if (command.empty() || command.size() > 1024 || !is_printable(command)) return false;
  if (command.find('/') == std::string_view::npos) return command != "." && command != "..";
  const std::string whole =
      command[0] == '/' ? std::string(command) : cat(kSandboxWorkspace, "/", command);
  return is_clean_absolute(whole) && std::ranges::any_of(kProgramFolders, [&](auto folder) {
           return whole != folder && is_within(whole, folder);
         });
}

// An http or https address with a host, and no user in it.
bool is_web_address(std::string_view url) {
  if (url.size() > 2048) return false;
  std::string_view rest;
  for (const std::string_view scheme : {"http://", "https://"})
    if (url.starts_with(scheme)) rest = url.substr(scheme.size());
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  const bool plain = std::ranges::all_of(url, [](char c) { return c > 0x20 && c < 0x7f; });
  return plain && !host.empty() && host[0] != ':' && host.find('@') == std::string_view::npos &&
         url.find_first_of("\\\"<>^`{|}") == std::string_view::npos;
}

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [&](char c) {
    return is_letter_or_digit(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool is_own_header(std::string_view name) {
  return std::ranges::count(kOwnHeaders, ascii_lower(name)) > 0;
}

std::string header_fault(const std::string& name, const std::string& value) {
  if (!is_header_name(name)) return "is not the name of a header";
  if (is_own_header(name)) return "is set by the client itself";
  if (value.size() > kLongestText || !is_printable(value))
    return "has a value that is too long or has control characters";
  return {};
}

std::string variable_of_server_fault(const std::string& name, const std::string& value) {
  if (is_home_variable(name)) return "is the run's own and cannot be replaced";
  if (value.size() > kLongestText) return "is too long";
  return variable_fault(name, value);
}

McpServerFault stdio_fault(const McpServer& server) {
  if (!server.url.empty()) return {"url", "a stdio server has none"};
  if (!server.headers.empty()) return {"headers", "a stdio server has none"};
  if (server.command.empty()) return {"command", "a stdio server needs one"};
  if (!is_program(server.command))
    return {"command", "must be the name of a program, or the path of one inside the run"};
  if (server.args.size() > kMostArguments) return {"args", "are too many"};
  for (size_t i = 0; i < server.args.size(); ++i) {
    if (server.args[i].size() > kLongestText || server.args[i].find('\0') != std::string::npos)
      return {cat("args[", i, "]"), "is too long or has a NUL byte"};
  }
  if (server.env.size() > kMostPairs) return {"env", "has too many variables"};
  for (const auto& [name, value] : server.env) {
    if (std::string why = variable_of_server_fault(name, value); !why.empty())
      return {cat("env.", shown(name)), std::move(why)};
  }
  return {};
}

McpServerFault web_fault(const McpServer& server) {
  if (!server.command.empty()) return {"command", "a server that is reached by a url has none"};
  if (!server.args.empty()) return {"args", "a server that is reached by a url has none"};
  if (!server.env.empty()) return {"env", "a server that is reached by a url has none"};
  if (!is_web_address(server.url))
    return {"url", "must be an http or https address; credentials belong in headers"};
  if (server.headers.size() > kMostPairs) return {"headers", "are too many"};
  for (const auto& [name, value] : server.headers) {
    if (std::string why = header_fault(name, value); !why.empty())
      return {cat("headers.", shown(name)), std::move(why)};
  }
  return {};
}

}  // namespace

McpServerFault fault_of(const McpServer& server) {
  if (!is_id(server.id))
    return {"id", "must be letters, digits, '_' and '-', at most 64, the first no mark"};
  for (const auto& [name, text] :
       {std::pair{"label", &server.label}, std::pair{"templateId", &server.template_id}}) {
    if (text->size() > kLongestName || !is_printable(*text))
      return {name, "is too long or has control characters"};
  }
  return server.transport == McpTransport::kStdio ? stdio_fault(server) : web_fault(server);
}

}  // namespace paddock::contracts
