#include "node-agent/sandbox/app/options.h"

#include <array>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

// `fd:N`, or a path.
Status set_file(std::string_view name, std::string_view value, std::string& path, int& number) {
  if (value.substr(0, 3) != "fd:") return path = value, Status();
  number = parse_integer<int>(value.substr(3)).value_or(-1);
  if (number >= 0) return {};
  return invalid_argument("USAGE", cat(name, " fd:N needs a descriptor number"));
}

// Hands each `--name value` to `set`.
template <class Set>
Status read_pairs(std::span<char* const> words, const Set& set) {
  for (size_t i = 0; i < words.size(); i += 2) {
    const std::string_view name = words[i];
    if (i + 1 == words.size()) return invalid_argument("USAGE", cat(name, " needs a value"));
    TRY(set(name, std::string_view(words[i + 1])));
  }
  return {};
}

Status unknown_option(std::string_view name) {
  return invalid_argument("USAGE", cat("unknown option: ", name));
}

Status set_run_option(std::string_view name, std::string_view value, Options& out) {
  if (name == "--request") return set_file(name, value, out.request, out.request_fd);
  if (name == "--events") return set_file(name, value, out.events, out.events_fd);
  if (name == "--lock") return out.lock = value, Status();
  return unknown_option(name);
}

Status set_serve_option(std::string_view name, std::string_view value, ServeOptions& out) {
  if (name == "--socket") return out.socket = value, Status();
  if (name == "--lock") return out.lock = value, Status();
  if (name == "--tools") return out.tools = split(value, ','), Status();
  if (name == "--judge") {
    if (value != "exec") return invalid_argument("USAGE", "--judge knows only exec");
    return out.judge_exec = true, Status();
  }
  if (name == "--hold") {
    if (value != "exit") return invalid_argument("USAGE", "--hold knows only exit");
    return out.hold_exit = true, Status();
  }
  if (name != "--ready") return unknown_option(name);
  const auto ready = parse_integer<int>(value);
  if (!ready || *ready < 1 || *ready > 64)
    return invalid_argument("USAGE", "--ready needs a number from 1 to 64");
  out.ready = *ready;
  return {};
}

Status read_run(std::span<char* const> words, Options& out) {
  TRY(read_pairs(words, [&](auto name, auto value) { return set_run_option(name, value, out); }));
  if (out.request.empty() && out.request_fd < 0)
    return invalid_argument("USAGE", "--request is missing");
  if (out.events.empty() && out.events_fd < 0)
    return invalid_argument("USAGE", "--events is missing");
  return {};
}

Status read_serve(std::span<char* const> words, ServeOptions& out) {
  TRY(read_pairs(words, [&](auto name, auto value) { return set_serve_option(name, value, out); }));
  if (out.socket.empty()) return invalid_argument("USAGE", "--socket is missing");
  return {};
}

// SETTINGS TALK SANDBOX [NETWORK]
Status read_broker(std::span<char* const> words, Options& out) {
  BrokerFds& fds = out.broker;
  const std::array numbers = {&fds.settings, &fds.talk, &fds.sandbox, &fds.network};
  if (words.size() != 3 && words.size() != 4)
    return invalid_argument("USAGE", "this mode is for paddock-sandbox itself");
  for (size_t i = 0; i < words.size(); ++i) {
    const auto fd = parse_integer<int>(std::string_view(words[i]));
    if (!fd || *fd < 3) return invalid_argument("USAGE", "descriptors are numbers from 3");
    *numbers[i] = *fd;
  }
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<char* const> arguments) {
  Options out;
  if (arguments.empty()) return invalid_argument("USAGE", "no mode was given");
  const std::string_view mode = arguments[0];
  const std::span<char* const> rest = arguments.subspan(1);
  if (mode == "probe" && rest.empty()) {
    out.mode = Options::Mode::kProbe;
  } else if (mode == "canary") {
    out.mode = Options::Mode::kCanary;  // only ever started by a probe, inside its sandboxes
    out.canary = rest;
  } else if (mode == "serve") {
    out.mode = Options::Mode::kServe;
    TRY(read_serve(rest, out.serve));
  } else if (mode == "run") {
    TRY(read_run(rest, out));
  } else if (mode == "broker") {
    out.mode = Options::Mode::kBroker;
    TRY(read_broker(rest, out));
  } else {
    return invalid_argument("USAGE", cat("unknown mode: ", mode));
  }
  return out;
}

std::string usage() {
  return "usage: paddock-sandbox run --request FILE|fd:N --events FILE|fd:N [--lock FILE]\n"
         "       paddock-sandbox serve --socket FILE [--lock FILE] [--ready N]\n"
         "                      [--judge exec] [--tools NAME,…] [--hold exit]\n"
         "       paddock-sandbox probe\n";
}

}  // namespace paddock::sandbox
