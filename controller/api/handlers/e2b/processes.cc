// process.Process/Start: a command of a session, whose events go on as messages of one stream.
#include <memory>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/base/units.h"
#include "common/wire/json.h"
#include "controller/api/handlers/e2b/e2b.h"
#include "controller/api/handlers/e2b/inside.h"
#include "controller/api/handlers/e2b/user.h"
#include "controller/e2b/commands.h"
#include "controller/e2b/connect.h"

namespace paddock::api {
namespace {

using wire::Value;

constexpr size_t kMostStart = 256 << 10;
// Their client gives up on a stream of which it hears nothing for five minutes.
constexpr Millis kKeepaliveEvery{50'000};

Error time_is_up(Millis time) {
  return {Code::kDeadlineExceeded, "COMMAND_TIMEOUT",
          cat("the command took longer than the ", format_duration(time),
              " that its caller gave it, and was ended")};
}

// Takes the session's events and writes messages. Time counts: behind the caller's it is closed, so
// the command ends like that of a caller who hung up.
class Translated final : public ResponseStream {
 public:
  Translated(ResponseStream& out, const Clock& clock, int64_t pid, std::optional<Millis> time)
      : out_(out), clock_(clock), pid_(pid), time_(time), heard_(clock.mono()) {
    if (time) end_ = clock.mono() + *time;
  }

  bool write(std::string_view bytes) override {
    reader_.read(bytes, [this](std::string_view event, const Value& data) { take(event, data); });
    return open();
  }
  // Asked four times a second while the command runs, on the thread that writes.
  bool open() const override {
    if (!out_.open() || is_over()) return false;
    if (clock_.mono() - heard_ < kKeepaliveEvery) return true;
    return send(e2b::keepalive_event());
  }
  // A stream that was broken off has no end, and its reader takes that for one.
  void finish() {
    if (!ended_) fail(Error{Code::kUnavailable, "STREAM_LOST", "the command's stream broke off"});
  }

 private:
  DisconnectToken::WhenGone when_gone() const override { return out_.client().when_gone; }
  bool is_over() const { return end_ && clock_.mono() >= *end_; }
  bool send(const std::string& bytes) const {
    heard_ = clock_.mono();
    return out_.write(bytes);
  }
  void fail(const Error& error) {
    ended_ = true;
    send(e2b::end_of_stream(is_over() ? time_is_up(*time_) : error));
  }
  // Their client waits for it, also of a command that never ran because its text was too long.
  void begin() {
    if (!std::exchange(begun_, true)) send(e2b::start_event(pid_));
  }
  void take(std::string_view event, const Value& data) {
    if (ended_) return;
    if (event == "started") {
      begin();
    } else if (event == "stdout" || event == "stderr") {
      begin();
      send(e2b::output_event(event, data.text("base64")));
    } else if (event == "result") {
      begin();
      ended_ = true;
      send(e2b::end_events(data));
    } else if (event == "error") {
      fail(error_of(data));
    }
  }
  static Error error_of(const Value& data) {
    const Value* again = data.find("retryable");
    const bool later = again != nullptr && again->boolean() != nullptr && *again->boolean();
    const Reason reason = Reason::parse(data.text("code"));
    const bool over = is_one_of(reason, {"SESSION_ENDED", "SESSION_LOST", "SANDBOX_NOT_FOUND"});
    const Code code = over                            ? Code::kGone
                      : reason == "TOO_MANY_COMMANDS" ? Code::kResourceExhausted
                      : later                         ? Code::kUnavailable
                                                      : Code::kFailedPrecondition;
    return {code, reason, data.text("message")};
  }

  ResponseStream& out_;
  const Clock& clock_;
  const int64_t pid_;
  const std::optional<Millis> time_;
  mutable MonoTime heard_;
  std::optional<MonoTime> end_;
  bool begun_ = false;
  bool ended_ = false;
  e2b::EventReader reader_;
};

Response streamed() {
  Response response;
  response.content_type = "application/connect+json";
  response.headers.emplace_back("cache-control", "no-store");
  return response;
}

struct Started {
  Response answer;  // of the session's own route
  int64_t pid = 0;
  std::optional<Millis> time;
};

Result<Started> start(Call& call) {
  TRY(check_e2b_user(call.request));
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_header(call));
  Started out;
  ASSIGN_OR_RETURN(const auto time, e2b::timeout_ms(call.request.header("connect-timeout-ms")));
  if (time) out.time = Millis(*time);
  ASSIGN_OR_RETURN(const std::string body, call.request.body->read(kMostStart));
  ASSIGN_OR_RETURN(const Value request, e2b::one_message(body));
  ASSIGN_OR_RETURN(const std::string text, e2b::command_text(request));
  out.pid = static_cast<int64_t>(call.services.random.below(0x7ffffffe)) + 1;
  OwnRequest wanted = sandbox.request("POST", {"commands"});
  wanted.query = {{"stream", "true"}};
  wanted.headers["content-type"] = "application/json";
  wanted.body =
      wire::to_json(Value::Object{{"command", text}, {"commandId", e2b::command_id(out.pid)}});
  out.answer = ask_itself(call, std::move(wanted));
  TRY(refusal_in(out.answer));
  return out;
}

}  // namespace

Result<Response> start_e2b_process(Call& call) {
  Result<Started> started = start(call);
  Response response = streamed();
  if (!started.ok()) {
    response.body = e2b::end_of_stream(started.error());
    return response;
  }
  response.stream = [one = std::make_shared<Started>(std::move(*started)),
                     &clock = call.services.clock](ResponseStream& out) {
    Translated translated(out, clock, one->pid, one->time);
    one->answer.stream(translated);
    translated.finish();
  };
  return response;
}

}  // namespace paddock::api
