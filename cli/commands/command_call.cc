#include "cli/commands/command_call.h"

#include <optional>
#include <utility>

#include "cli/output/run_report.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "common/client/sse_parser.h"
#include "common/contracts/not_executed.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using contracts::RunResult;

constexpr Millis kBeside{60'000};  // what the command may take
constexpr wire::ParseLimits kLimits{size_t{64} << 20, 32, 100'000};

// The events of the stream so far.
struct Heard {
  std::optional<RunResult> result;
  std::optional<Error> error;
  bool begun = false;
  bool output = false;  // of either stream
};

void pass_on(const Stream& stream, const std::string& bytes) {
  stream.write(stream.tty ? terminal_safe(bytes) : bytes);
}

void hear(const client::SseEvent& event, const CommandCall& call, const Env& env, Heard& heard) {
  const auto data = wire::parse_json(event.data, kLimits);
  if (!data.ok()) return;
  if (event.type == "stdout" || event.type == "stderr") {
    const auto bytes = decode_base64(data->text("base64"));
    const Stream& stream = event.type == "stdout" ? env.out : env.err;
    heard.output = true;
    if (bytes && call.raw) stream.write(*bytes);
    if (bytes && !call.raw) pass_on(stream, *bytes);
  } else if (event.type == "started") {
    heard.begun = true;
    if (call.on_started) call.on_started();
  } else if (event.type == "result") {
    auto result = wire::decode<RunResult>(*data);
    if (result.ok()) heard.result = std::move(*result);
  } else if (event.type == "error") {
    heard.error =
        Error{Code::kFailedPrecondition, Reason::parse(data->text("code")), data->text("message")};
  }
}

Error refusal(const http::Response& response) {
  const auto body = wire::parse_json(response.body, kLimits);
  return contracts::error_from_body(response.status, body.ok() ? *body : wire::Value());
}

http::Request request_of(const CommandCall& call, bool stream) {
  http::Request out;
  out.method = "POST";
  out.target = cat(call.target, stream ? "?stream=true" : "");
  out.headers = {{"Accept", stream ? "text/event-stream" : "application/json"},
                 {"Content-Type", "application/json"}};
  out.body = wire::to_json(call.body);
  out.timeout = kBeside + call.time;
  return out;
}

int tell(const RunResult& result, const Heard& heard, const Env& env) {
  if (!result.err.empty()) pass_on(env.err, result.err);
  env.err.write(denials_text(result.denials));
  if (result.truncated && (result.truncated->out || result.truncated->err))
    env.say(
        "some of its output is left out, where the marker stands: a file has room for all of it");
  if (contracts::was_not_executed(result, !heard.output && result.err.empty()))
    env.say(printable(result.reason));
  if (result.error_class)
    env.say(printable(cat(result.code.value_or(*result.error_class),
                          result.reason.empty() ? "" : ": ", result.reason)));
  const int64_t code = result.exit_code;
  return code < 0 || code > 255 ? kExitFailure : static_cast<int>(code);
}

// Once the request has left, the command may have begun, whether we heard that or not.
Error broken_off(const Error& cause, bool begun) {
  if (cause.code != Code::kUnavailable || cause.reason == "ABORTED") return cause;
  if (!begun && cause.reason != "CONNECTION_BROKEN") return cause;
  return {Code::kUnavailable, "STREAM_LOST",
          cat("the connection was lost before the command's end was known: ", cause.message)};
}

Result<int> run_streamed(Watcher& watcher, const CommandCall& call, const Env& env) {
  http::Request request = request_of(call, true);
  client::SseParser parser;
  Heard heard;
  request.on_data = [&](std::string_view bytes) {
    const auto fed = parser.feed(bytes, [&](const client::SseEvent& event) {
      hear(event, call, env, heard);
      return true;
    });
    return fed.ok();
  };
  const auto sent = watcher.http.send(request);
  if (call.on_ended) call.on_ended();
  if (!sent.ok()) return broken_off(sent.error(), heard.begun);
  if (sent->status / 100 != 2) return refusal(*sent);
  if (heard.error) return *heard.error;
  if (!heard.result)
    return Error{Code::kUnavailable, "STREAM_LOST", "the stream ended before the command did"};
  return tell(*heard.result, heard, env);
}

Result<int> run_for_document(Watcher& watcher, const CommandCall& call, const Env& env,
                             OutputFormat format) {
  const http::Request request = request_of(call, false);
  const auto response = watcher.http.send(request);
  if (!response.ok()) return broken_off(response.error(), false);
  if (response->status / 100 != 2) return refusal(*response);
  ASSIGN_OR_RETURN(const wire::Value body, wire::parse_json(response->body, kLimits));
  ASSIGN_OR_RETURN(const auto result, wire::decode<RunResult>(body));
  env.out.write(document_text(body, format));
  const int64_t code = result.exit_code;
  return code < 0 || code > 255 ? kExitFailure : static_cast<int>(code);
}

}  // namespace

Result<int> command_call(Watcher& watcher, const CommandCall& call, const Env& env,
                         OutputFormat format) {
  return is_document(format) ? run_for_document(watcher, call, env, format)
                             : run_streamed(watcher, call, env);
}

int tell_no_end(const CommandCall& call, const Error& error, const Env& env) {
  const std::string fate =
      cat("the command does not go on without its caller, and is ended; ", call.stays, " goes on");
  if (error.reason == "ABORTED") {
    env.say(cat("given up: ", fate));
    return exit_code_of(error, true);
  }
  if (error.reason != "STREAM_LOST") return fail(env, error, true);
  env.err.write(error_text(error, env.err, cat(fate, ". `paddock audit` has how it ended")));
  return exit_code_of(error, true);
}

}  // namespace paddock::cli
