#include "controller/api/handlers/run_output.h"

#include <algorithm>
#include <limits>

#include "common/wire/json.h"
#include "controller/api/handlers/objects.h"
#include "controller/api/run_stream.h"

namespace paddock::api {
namespace {

using contracts::Run;
using contracts::RunEvent;

constexpr int64_t kMostIds = std::numeric_limits<int64_t>::max();

bool is_output(const RunEvent& event) {
  return event.type == contracts::kEventStdout || event.type == contracts::kEventStderr;
}

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

// Counts lines over pieces of text; an unfinished last line counts.
class LineCounter {
 public:
  void add(std::string_view text) {
    ends_ += std::ranges::count(text, '\n');
    if (!text.empty()) open_ = text.back() != '\n';
  }
  int64_t lines() const { return ends_ + (open_ ? 1 : 0); }

 private:
  int64_t ends_ = 0;
  bool open_ = false;
};

// Drops the first lines of a text that comes in pieces.
class LineSkipper {
 public:
  explicit LineSkipper(int64_t lines) : left_(lines) {}
  std::string_view rest(std::string_view text) {
    while (left_ > 0) {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
      --left_;
    }
    return text;
  }

 private:
  int64_t left_;
};

std::string output_of(const std::vector<RunEvent>& events) {
  std::string text;
  for (const RunEvent& event : events) {
    if (is_output(event)) text += event.data;
  }
  return text;
}

int64_t count_lines(Services& services, const std::string& uid, ResponseStream& out) {
  LineCounter counter;
  follow_run(
      services, {uid, 0, false}, out,
      [&](const std::vector<RunEvent>& events) {
        counter.add(output_of(events));
        return true;
      },
      [] { return true; });
  return counter.lines();
}

}  // namespace

std::string sse_frame(const RunEvent& event) {
  const bool is_json = event.type == contracts::kEventPhase || event.type == contracts::kEventEnd;
  std::string data = event.data;
  if (!is_json) {
    data = wire::to_json(wire::Value::Object{{"time", format_time(WallTime{event.time_ms}, true)},
                                             {"data", to_utf8_lossy(event.data)}});
  }
  return cat("id: ", event.id, "\nevent: ", event.type, "\ndata: ", data, "\n\n");
}

Result<Response> run_events(Call& call) {
  ASSIGN_OR_RETURN(const Run run, read_object<Run>(call));
  ASSIGN_OR_RETURN(const int64_t after, resume_point(call.request));
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("cache-control", "no-store");
  response.stream = [&services = call.services,
                     follow = Follow{run.metadata.uid, after, true}](ResponseStream& out) {
    if (!out.write(": ok\n\n")) return;  // the client sees at once that it is connected
    follow_run(
        services, follow, out,
        [&](const std::vector<RunEvent>& events) {
          std::string text;
          for (const RunEvent& event : events) text += sse_frame(event);
          return out.write(text);
        },
        [&] { return out.write(": hb\n\n"); });
  };
  return response;
}

Result<Response> run_log(Call& call) {
  ASSIGN_OR_RETURN(const Run run, read_object<Run>(call));
  ASSIGN_OR_RETURN(const std::optional<int64_t> tail,
                   integer_parameter(call.request, "tailLines", 0, kMostIds));
  const bool follow = flag_parameter(call.request, "follow");
  Response response = text_response({});
  response.stream = [&services = call.services, uid = run.metadata.uid, tail,
                     follow](ResponseStream& out) {
    LineSkipper skipper(tail ? std::max<int64_t>(0, count_lines(services, uid, out) - *tail) : 0);
    follow_run(
        services, {uid, 0, follow}, out,
        [&](const std::vector<RunEvent>& events) {
          const std::string text = output_of(events);
          const std::string_view rest = skipper.rest(text);
          return rest.empty() || out.write(rest);
        },
        [] { return true; });
  };
  return response;
}

}  // namespace paddock::api
