#include "controller/api/handlers/calls/execute.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "common/contracts/calls.h"
#include "common/contracts/snippet_report.h"
#include "common/contracts/version.h"
#include "common/wire/json.h"
#include "controller/api/handlers/calls/execute_record.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/route.h"
#include "controller/calls/call_errors.h"
#include "controller/calls/relay.h"

namespace paddock::api {
namespace {

using contracts::ExecuteAnswer;
using contracts::ExecuteRequest;
using contracts::SandboxStatus;
using contracts::SnippetOrder;
using contracts::SnippetReport;

constexpr Millis kAnswerTime{10'000};  // beside what the snippet may take
constexpr Millis kQueueTime{5'000};    // its clients give up 5 s after the snippet's own time

// Clients of this path expect 422 for every mistake of the caller.
Error unprocessable(Error error) {
  error.code = Code::kFailedPrecondition;
  return error;
}

// The body is read as JSON whatever its content type says: `curl -d`, for one, calls it a form.
Result<ExecuteRequest> read_request(Call& call) {
  ASSIGN_OR_RETURN(const std::string bytes, call.request.body->read(kApiDocument.limit));
  auto document = wire::parse_json(bytes);
  if (!document.ok()) {
    Error error = document.error();
    error.message = cat("the body cannot be read as JSON: ", error.message);
    error.causes = {{"body", error.message}};
    return unprocessable(std::move(error));
  }
  auto request = decode_body<ExecuteRequest>(*document);
  if (!request.ok()) return unprocessable(std::move(request).error());
  return request;
}

std::optional<ExecuteAnswer> refusal_of(const ExecuteRequest& request) {
  if (ascii_lower(request.language) != "python") {
    return contracts::refused_answer(
        cat("Unsupported language: ", request.language, ". Only 'python' is supported."));
  }
  if (request.code.size() > contracts::kMaxCodeBytes) {
    return contracts::refused_answer(
        cat("Code exceeds maximum length of ", contracts::kMaxCodeBytes, " bytes."));
  }
  return std::nullopt;
}

Result<SnippetOrder> order_of(ExecuteRequest request, const ExecuteSettings& settings) {
  const int64_t default_memory = std::min(contracts::kDefaultMemoryMb, settings.max_memory_mb);
  SnippetOrder order;
  order.memory_mb = request.memory_mb.value_or(default_memory);
  if (order.memory_mb > settings.max_memory_mb) {
    return unprocessable(invalid_argument(
        "LIMIT_OVER_CEILING",
        cat("must be at most ", settings.max_memory_mb, ", this server's ceiling"), "memory_mb"));
  }
  order.timeout_ms =
      request.timeout_seconds.value_or(settings.default_timeout_seconds) * int64_t{1000};
  order.code = std::move(request.code);
  order.input_data = std::move(request.input_data);
  return order;
}

// Agents are upgraded after their controller: an older one says the answer alone.
std::optional<SnippetReport> report_of_older_agent(const wire::Value& result) {
  auto answer = wire::decode<ExecuteAnswer>(result);
  if (!answer.ok()) return std::nullopt;
  SnippetReport out;
  if (answer->validation_errors.is_null()) {
    out.result.emplace();
    out.result->status = answer->success ? SandboxStatus::kOk : SandboxStatus::kFailed;
    out.result->rc = answer->exit_code;
  }
  out.answer = std::move(*answer);
  return out;
}

// The most of each stream that a caller is given, even if a node sends more than its profile
// allows.
constexpr size_t kMostOutput = size_t{8} << 20;

void bound_text(std::string& text) {
  if (text.size() <= kMostOutput) return;
  text.resize(utf8_prefix(std::string_view(text).substr(0, kMostOutput)));
  text += "\n[the rest of the output was left out]\n";
}

void bound_output(ExecuteAnswer& answer) {
  bound_text(answer.out);
  bound_text(answer.err);
}

Result<SnippetReport> ask_node(Call& call, const SnippetOrder& order, std::string& holder) {
  calls::CallOptions options;
  options.caller = call.principal.subject;
  options.name_space = call.principal.name_space;
  options.kind = contracts::kSnippetCall;
  options.patience = Millis(order.timeout_ms) + kAnswerTime;
  options.queue_patience = kQueueTime;
  options.arrival_patience = call.services.node_patience;
  options.bytes = static_cast<size_t>(std::max<int64_t>(call.request.body->length(), 0));
  options.payload = wire::encode(order);
  options.client = call.request.client;
  options.holder = &holder;
  ASSIGN_OR_RETURN(
      const wire::Value result,
      call.services.calls->call(std::move(options), call.services.clock, call.services.random));
  auto report = wire::decode<SnippetReport>(result);
  std::optional<SnippetReport> said;
  if (report.ok()) {
    said = std::move(*report);
  } else {
    said = report_of_older_agent(result);
  }
  if (said) {
    bound_output(said->answer);
    return std::move(*said);
  }
  return calls::not_understood();
}

}  // namespace

Result<Response> execute_code(Call& call) {
  ASSIGN_OR_RETURN(ExecuteRequest request, read_request(call));
  ExecuteRecord record(call, request.code);
  if (auto refused = refusal_of(request)) {
    const SnippetReport report{std::move(*refused), {}, false};
    TRY(record.end(report));
    return object_response(report.answer);
  }
  ASSIGN_OR_RETURN(const SnippetOrder order, order_of(std::move(request), call.services.execute));
  TRY(record.check());
  const auto report = ask_node(call, order, record.node);
  TRY(report.ok() ? record.end(*report) : record.end(report.error()));
  if (!report.ok()) return report.error();
  return object_response(report->answer);
}

Result<Response> execute_health(Call& call) {
  const auto skills = call.services.calls->skills(call.services.clock);
  if (skills.empty()) {
    return json_response(
        wire::Value::Object{{"status", "unhealthy"}, {"reason", "no node takes snippets now"}},
        503);
  }
  std::set<std::string> libraries(skills[0].libraries.begin(), skills[0].libraries.end());
  bool validator = true;
  for (const auto& each : skills) {
    validator = validator && each.validator;
    std::erase_if(libraries, [&](const std::string& name) {
      return std::ranges::find(each.libraries, name) == each.libraries.end();
    });
  }
  wire::Value::Array everywhere;
  for (const std::string& name : libraries) everywhere.emplace_back(name);
  return json_response(wire::Value::Object{{"status", "healthy"},
                                           {"nodes", skills.size()},
                                           {"validator", validator},
                                           {"libraries", std::move(everywhere)}});
}

Result<Response> execute_service(Call&) {
  return json_response(wire::Value::Object{{"service", "code-execution-service"},
                                           {"version", contracts::kProgramVersion},
                                           {"docs", "docs/execute.md"}});
}

}  // namespace paddock::api
