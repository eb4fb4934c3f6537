#include "common/client/event_follower.h"

#include "common/base/text.h"
#include "common/base/time.h"
#include "common/client/requests.h"
#include "common/contracts/api_paths.h"
#include "common/wire/json.h"

namespace paddock::client {
namespace {

constexpr Millis kSilence{15'000};                 // the server sends a heartbeat every second
constexpr std::string_view kEventStart = "start";  // it is begun where the query says
constexpr int kMaxGaps = 3;  // asked again so often, an event that is missing will not come

// These will not pass by trying again.
bool is_final(const Error& error) {
  if (error.reason == "ABORTED") return true;
  return error.code != Code::kUnavailable && error.code != Code::kDeadlineExceeded &&
         error.code != Code::kResourceExhausted;
}

Error unexpected(std::string_view what) {
  return {Code::kInternal, "UNEXPECTED_ANSWER", cat("the server sent an event ", what)};
}

bool is_output(std::string_view type) {
  return type == contracts::kEventStdout || type == contracts::kEventStderr ||
         type == contracts::kEventSystem;
}

bool is_event_stream(const http::Response& response) {
  const auto type = response.headers.find("content-type");
  return type != response.headers.end() && type->second.starts_with("text/event-stream");
}

int64_t time_of(const wire::Value& data) {
  const wire::Value* time = data.find("time");
  if (time == nullptr) return 0;
  if (time->integer() != nullptr) return *time->integer();
  if (time->string() == nullptr) return 0;
  return parse_time(*time->string()).value_or(WallTime{}).ms;
}

}  // namespace

Result<contracts::RunEvent> decode_event(const SseEvent& message) {
  const std::optional<int64_t> id = parse_integer<int64_t>(message.id);
  if (!id || *id < 1) return unexpected("without a number");
  const Result<wire::Value> data = wire::parse_json(message.data);
  if (!data || data->object() == nullptr) return unexpected("that is not JSON");
  contracts::RunEvent event{*id, time_of(*data), message.type, message.data};
  if (is_output(message.type)) {
    const wire::Value* text = data->find("data");
    if (text == nullptr || text->string() == nullptr) return unexpected("without its data");
    event.data = *text->string();
    if (const wire::Value* exact = data->find("base64")) {  // of bytes that are no text
      std::optional<std::string> bytes;
      if (exact->string() != nullptr) bytes = decode_base64(*exact->string());
      if (!bytes) return unexpected("whose base64 is none");
      event.data = std::move(*bytes);
    }
  }
  return event;
}

// False ends the connection.
bool EventFollower::take(const SseEvent& message) {
  if (message.type == kEventStart) return start_known_ = true;
  if (starts() && !start_known_) {
    start_unknown_ = finished_ = true;
    return false;
  }
  Result<contracts::RunEvent> event = decode_event(message);
  if (!event) {
    broken_ = std::move(event).error();
    return false;
  }
  if (event->id <= last_id_) return true;  // seen before
  // Something is missing: ask again from the last seen.
  if (event->id != last_id_ + 1 && !starts()) {
    if (++gaps_ > kMaxGaps)
      broken_ = unexpected(cat("of number ", event->id, " where ", last_id_ + 1, " is next"));
    return false;
  }
  last_id_ = event->id;
  gaps_ = 0;
  reconnect_.progressed();
  finished_ = event->type == contracts::kEventEnd;
  if (!on_event_(*event)) finished_ = true;
  return !finished_;
}

Result<EventFollower::Next> EventFollower::connect() {
  http::Request request = stream_request("GET", starts() ? target_ + start_query_ : target_);
  start_known_ = false;
  request.headers = {{"Accept", "text/event-stream"}, {"Cache-Control", "no-cache"}};
  if (last_id_ > 0) request.headers["Last-Event-ID"] = cat(last_id_);
  request.idle_timeout = kSilence;
  bound_try(request, reconnect_.for_try(), true);
  SseParser parser;
  request.on_data = [&](std::string_view piece) {
    reconnect_.answered();
    request.idle_timeout = kSilence;  // looked at anew for each wait
    const Result<bool> more =
        parser.feed(piece, [&](const SseEvent& message) { return take(message); });
    if (!more) broken_ = more.error();
    return more.ok() && *more;
  };
  Failure failure;
  const Result<http::Response> response = client_.once(*client_.http_, request, failure);
  if (finished_) return Next::kFinished;
  if (broken_) return *broken_;
  if (response && !is_event_stream(*response))
    return Error{Code::kInternal, "UNEXPECTED_ANSWER", "the server did not answer with events"};
  if (!response && is_final(failure.error)) return failure.error;
  TRY(wait_before_retry(failure));
  return Next::kReconnect;
}

Status EventFollower::wait_before_retry(const Failure& failure) {
  const Error lost{Code::kUnavailable, "STREAM_LOST",
                   "the connection to the run's events is lost; the run itself goes on"};
  return reconnect_.wait(failure, lost, client_.random_, client_.pause_);
}

Status EventFollower::run() {
  while (true) {
    ASSIGN_OR_RETURN(const Next next, connect());
    if (next == Next::kFinished) return {};
  }
}

Status ControllerClient::follow_events(
    const std::string& name_space, const std::string& name, int64_t after, Millis patience,
    const std::function<bool(const contracts::RunEvent&)>& on_event) {
  const std::string target = cat(contracts::paths::run(name_space, name), "/events");
  return EventFollower(*this, target, after, patience, on_event).run();
}

Result<bool> ControllerClient::follow_log(
    const std::string& name_space, const std::string& name, const LogPart& part, Millis patience,
    const std::function<bool(const contracts::RunEvent&)>& on_event) {
  const std::string target = cat(contracts::paths::run(name_space, name), "/events");
  EventFollower follower(*this, target, 0, patience, on_event);
  std::string query;
  if (part.tail_lines) query += cat("&tailLines=", *part.tail_lines);
  if (part.since_seconds) query += cat("&sinceSeconds=", *part.since_seconds);
  if (!query.empty()) follower.begin_at(cat("?", query.substr(1)));
  TRY(follower.run());
  return !follower.start_unknown();
}

}  // namespace paddock::client
