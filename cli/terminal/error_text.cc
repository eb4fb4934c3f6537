#include "cli/terminal/error_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/terminal/exit_codes.h"
#include "common/base/text.h"
#include "common/base/told_cause.h"

namespace paddock::cli {
namespace {

struct Hint {
  Reason reason;
  std::string_view text;
};
constexpr std::array kHints = {
    Hint{"INSTANCE_NOT_UP", "start it with `paddock up` (and --instance, if you gave one)"},
    Hint{"SERVER_NAME_UNKNOWN",
         "correct the address in --server or PADDOCK_SERVER; without one, commands go to the "
         "instance on this host"},
    Hint{"SERVER_NOT_TRUSTED", "pass the server's CA with --ca-file, or PADDOCK_CA_FILE"},
    Hint{"WRONG_PROTOCOL", "the address is that of --server or PADDOCK_SERVER"},
    Hint{"CERTIFICATE_NOT_VALID_NOW", "compare `date -u` here with that of another host"},
    Hint{"STREAM_LOST", "the run goes on; come back with `paddock logs -f` or `paddock wait`"},
    Hint{"NETWORK_NOT_ALLOWED", "on an instance of your own, `paddock up --network` allows it"},
    Hint{"PORT_IN_USE", "choose another with --port, or leave --port out to get a free one"},
    Hint{"LOCK_HELD", "wait for it, or end it, and try again"},
    Hint{"PROGRAM_MISSING", "paddock's programs belong in one folder; install them together"},
};

}  // namespace

std::string hint_for(const Error& error, std::string_view connection) {
  for (const Hint& each : kHints) {
    if (error.reason == each.reason) return std::string(each.text);
  }
  if (error.code == Code::kUnauthenticated)
    return "pass a token with --token-file, or PADDOCK_TOKEN";
  if (is_one_of(error.reason, {kDiskReadOnlyReason, kDiskFailsReason})) return "";  // one of ours
  if (error.code == Code::kUnavailable)
    return cat("`paddock status", connection, "` shows what is up");
  return "";
}

std::string error_text(const Error& error, const Stream& stream) {
  return error_text(error, stream, hint_for(error));
}

std::string error_text(const Error& error, const Stream& stream, const std::string& hint) {
  const size_t end = std::min(error.message.find('\n'), error.message.size());
  std::string out = cat(paint(stream, Paint::kRed, "error:"), " ",
                        printable(std::string_view(error.message).substr(0, end)));
  if (!error.reason.empty()) out += cat(" [", printable(error.reason), "]");
  out += "\n";
  if (end < error.message.size())
    for (const std::string& each : split(error.message.substr(end + 1), '\n'))
      out += cat("  ", printable_lines(each), "\n");
  for (const Cause& cause : error.causes) {
    if (tells(error.message, cause)) continue;
    // Where the message names this one fault already, only its field is news.
    const bool same = cause.message == error.message || cause.message.empty() ||
                      (error.causes.size() == 1 && tells(error.message, {"", cause.message}));
    out += cat("  ", printable(cause.field), same || cause.field.empty() ? "" : ": ",
               same ? "" : printable(cause.message), "\n");
  }
  if (!hint.empty()) out += cat(paint(stream, Paint::kYellow, "hint:"), " ", hint, "\n");
  return out;
}

int fail(const Env& env, const Error& error, bool starting) {
  env.err.write(error_text(error, env.err, hint_for(error, env.connection)));
  return exit_code_of(error, starting);
}

}  // namespace paddock::cli
