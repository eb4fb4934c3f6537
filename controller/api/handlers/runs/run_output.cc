#include "controller/api/handlers/runs/run_output.h"

#include <algorithm>
#include <limits>

#include "common/base/log.h"
#include "common/wire/json.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/log_text.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/handlers/runs/run_stream.h"
#include "controller/api/objects/objects.h"
#include "controller/k8s/pods.h"
#include "controller/store/tool_token_writes.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::RunEvent;

constexpr int64_t kMostIds = std::numeric_limits<int64_t>::max();

// The id after which a client wants to go on.
Result<int64_t> resume_point(const Request& request) {
  const std::string header = request.header("last-event-id");
  if (header.empty()) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> after,
                     integer_parameter(request, "after", 0, kMostIds));
    return after.value_or(0);
  }
  const std::optional<int64_t> id = parse_integer<int64_t>(header);
  if (id && *id >= 0) return *id;
  return invalid_argument("EVENT_ID_INVALID",
                          "Last-Event-ID is the number of an event of this run");
}

// The time at which a log begins: `sinceTime` or `sinceSeconds`.
Result<int64_t> since(const Call& call) {
  ASSIGN_OR_RETURN(const std::optional<int64_t> seconds,
                   integer_parameter(call.request, "sinceSeconds", 1, kMostIds / 1000));
  const std::string time = call.request.parameter("sinceTime").value_or("");
  if (seconds)
    return std::max<int64_t>(0, call.now().ms - std::min(call.now().ms, *seconds * 1000));
  if (time.empty()) return LogOptions{}.since_ms;
  if (const auto parsed = parse_time(time)) return parsed->ms;
  return invalid_argument("PARAMETER_INVALID",
                          "sinceTime must be a time such as 2026-01-02T03:04:05Z", "sinceTime");
}

struct LogRequest {
  LogOptions options;
  std::optional<int64_t> tail;
  bool follow = false;
};

Result<LogRequest> read_log_request(const Call& call) {
  const Request& request = call.request;
  LogRequest log;
  ASSIGN_OR_RETURN(log.tail, integer_parameter(request, "tailLines", 0, kMostIds));
  ASSIGN_OR_RETURN(const std::optional<int64_t> limit,
                   integer_parameter(request, "limitBytes", 1, kMostIds));
  if (limit) log.options.limit_bytes = *limit;
  ASSIGN_OR_RETURN(log.options.since_ms, since(call));
  ASSIGN_OR_RETURN(log.options.timestamps, flag_parameter(request, "timestamps"));
  ASSIGN_OR_RETURN(log.follow, flag_parameter(request, "follow"));
  const std::string container = request.parameter("container").value_or("");
  if (!container.empty() && container != k8s::kPodContainer) {
    return invalid_argument("PARAMETER_INVALID",
                            cat("a run has one container, ", k8s::kPodContainer), "container");
  }
  ASSIGN_OR_RETURN(const bool previous, flag_parameter(request, "previous"));
  if (previous) {
    return invalid_argument("PARAMETER_INVALID",
                            "a run has no previous container; its log holds all it wrote",
                            "previous");
  }
  return log;
}

// The number of lines before the last `tail` ones, of those that exist now.
int64_t lines_before_tail(Services& services, const std::string& uid, const LogRequest& log,
                          const HeldToken& token, ResponseStream& out) {
  LogText all(LogOptions{.since_ms = log.options.since_ms});
  follow_run(
      services, {uid, 0, false}, token, out,
      [&](const std::vector<RunEvent>& events) {
        (void)all.next(events);
        return true;
      },
      [] { return true; });
  return std::max<int64_t>(0, all.lines() - *log.tail);
}

}  // namespace

std::string sse_frame(const RunEvent& event) {
  const bool is_json = event.type == contracts::kEventPhase || event.type == contracts::kEventEnd;
  std::string data = event.data;
  if (!is_json) {
    wire::Value::Object piece{{"time", format_time(WallTime{event.time_ms}, true)},
                              {"data", to_utf8_lossy(event.data)}};
    // JSON is text; whoever sends the output on to a file or a program needs the bytes.
    if (!is_utf8(event.data)) piece.emplace_back("base64", base64(event.data));
    data = wire::to_json(std::move(piece));
  }
  return cat("id: ", event.id, "\nevent: ", event.type, "\ndata: ", data, "\n\n");
}

namespace {

void stream_events(Services& services, const Follow& follow, const HeldToken& token,
                   ResponseStream& out) {
  if (!out.write(": ok\n\n")) return;  // the client sees at once that it is connected
  follow_run(
      services, follow, token, out,
      [&](const std::vector<RunEvent>& events) {
        std::string text;
        for (const RunEvent& event : events) text += sse_frame(event);
        return out.write(text);
      },
      [&] { return out.write(": hb\n\n"); });
}

// Tool tokens whose maker wants them to end with the stream. They also end by themselves.
// Most runs have none, and then nobody waits for the writer.
void end_stream_tokens(Services& services, const std::string& run_uid) {
  bool any = false;
  const Status looked = services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto keys, txn.tool_tokens_of(run_uid));
    for (const store::Key& key : keys) {
      ASSIGN_OR_RETURN(const auto token, txn.find<contracts::ToolToken>(key));
      any = any || (token && token->spec.revoke_on_stream_end && !token->status.revoked_at);
    }
    return {};
  });
  if (looked.ok() && !any) return;
  const Status ended = services.store.write_freeing([&](store::WriteTxn& txn) {
    return store::revoke_tool_tokens(
        txn, run_uid, contracts::RevokeReason::kSseEnd, services.clock.wall(),
        [](const contracts::ToolToken& token) { return token.spec.revoke_on_stream_end; });
  });
  if (!ended.ok()) log_error("tool tokens of a stream", {{"error", ended.error().describe()}});
}

// Streams the events from the last lines on, or from a time. The event `start` tells a client that
// this was understood; the first event behind it may have any number.
void stream_end_of_events(Services& services, const Follow& follow, const HeldToken& token,
                          const LogRequest& log, ResponseStream& out) {
  if (!out.write(": ok\n\nevent: start\ndata: {}\n\n")) return;
  LogStart start(log.options.since_ms,
                 log.tail ? lines_before_tail(services, follow.run_uid, log, token, out) : 0);
  follow_run(
      services, follow, token, out,
      [&](const std::vector<RunEvent>& events) {
        std::string text;
        for (RunEvent event : events)
          if (start.takes(event)) text += sse_frame(event);
        return text.empty() || out.write(text);
      },
      [&] { return out.write(": hb\n\n"); });
}

}  // namespace

Result<Response> run_events(Call& call) {
  ASSIGN_OR_RETURN(const Run run, read_object<Run>(call));
  ASSIGN_OR_RETURN(const int64_t after, resume_point(call.request));
  LogRequest log;
  ASSIGN_OR_RETURN(log.tail, integer_parameter(call.request, "tailLines", 0, kMostIds));
  ASSIGN_OR_RETURN(log.options.since_ms, since(call));
  const bool part = log.tail || log.options.since_ms != LogOptions{}.since_ms;
  if (part && after > 0)
    return invalid_argument("PARAMETER_INVALID",
                            "events go on behind a number, or begin at the last lines, not both",
                            log.tail ? "tailLines" : "sinceTime");
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("cache-control", "no-store");
  response.stream = [&services = call.services, part, log, token = HeldToken(call),
                     follow = Follow{run.metadata.uid, after, true}](ResponseStream& out) {
    if (part) {
      stream_end_of_events(services, follow, token, log, out);
    } else {
      stream_events(services, follow, token, out);
    }
    end_stream_tokens(services, follow.run_uid);
  };
  return response;
}

Result<Response> run_log(Call& call) {
  ASSIGN_OR_RETURN(const Run run, read_object<Run>(call));
  TRY(refuse_array(run, "log"));
  ASSIGN_OR_RETURN(const LogRequest request, read_log_request(call));
  Response response = text_response({});
  response.stream = [&services = call.services, uid = run.metadata.uid, request,
                     token = HeldToken(call)](ResponseStream& out) {
    LogOptions options = request.options;
    if (request.tail) options.skip_lines = lines_before_tail(services, uid, request, token, out);
    LogText log(options);
    follow_run(
        services, {uid, 0, request.follow}, token, out,
        [&](const std::vector<RunEvent>& events) {
          const std::string text = log.next(events);
          return (text.empty() || out.write(text)) && !log.full();
        },
        [] { return true; });
  };
  return response;
}

}  // namespace paddock::api
