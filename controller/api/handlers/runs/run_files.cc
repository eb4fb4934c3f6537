#include "controller/api/handlers/runs/run_files.h"

#include "common/base/text.h"
#include "common/contracts/session_calls.h"
#include "common/crypto/digest.h"
#include "controller/api/handlers/runs/arrays.h"
#include "controller/api/handlers/runs/run_call.h"
#include "controller/api/objects/list_query.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/calls/call_errors.h"

namespace paddock::api {
namespace {

using contracts::FileAnswer;
using contracts::FileOrder;
using contracts::Run;

constexpr Millis kFileTime{30'000};
constexpr int64_t kMostPart = int64_t{4} << 20;

Error understood(Error error) {
  if (error.reason != "CALL_UNKNOWN") return error;
  return Error{
      Code::kFailedPrecondition, "RUN_FILES_NOT_SHOWN",
      "the agent of the run's node is of an earlier release, which shows no files of runs or takes "
      "none"};
}

Result<FileAnswer> ask(Call& call, const Run& run, const char* kind, const FileOrder& order) {
  const auto answer = ask_agent_of(call, run,
                                   {.kind = kind,
                                    .payload = wire::encode(order),
                                    .bytes = order.data.size(),
                                    .patience = kFileTime});
  if (!answer.ok()) return understood(answer.error());
  auto read = wire::decode<FileAnswer>(*answer);
  if (!read.ok()) return calls::not_understood();
  return read;
}

Result<Response> part_response(const FileAnswer& answer) {
  auto bytes = decode_base64(answer.data);
  if (!answer.size || !bytes || bytes->size() > static_cast<size_t>(kMostPart))
    return calls::not_understood();
  Response response = untrusted_response(std::move(*bytes));
  response.headers.emplace_back("paddock-file-size", cat(*answer.size));
  response.headers.emplace_back("paddock-file-version",
                                crypto::sha256_hex(answer.version).substr(0, 16));
  return response;
}

Result<std::string> read_content(Call& call) {
  auto body = call.request.body->read(contracts::kMostPutBytes);
  if (body.ok() || body.error().code != Code::kTooLarge) return body;
  return Error{Code::kTooLarge, "BODY_TOO_LARGE",
               cat("a file of at most ", contracts::kMostPutBytes,
                   " bytes can be put into a run: larger ones come "
                   "with its project or a volume")};
}

// Whether the file may have been written. A refusal has changed nothing, but after a lost answer
// nobody knows.
bool may_be_there(const Result<FileAnswer>& answer) {
  if (answer.ok()) return true;
  if (answer.error().reason == "NO_NODE") return false;
  const Code code = answer.error().code;
  return code == Code::kUnavailable || code == Code::kDeadlineExceeded || code == Code::kInternal;
}

// On the disk before the caller hears of it.
Status note_put(Call& call, const Run& run, const FileOrder& order, const std::string& bytes,
                const Result<FileAnswer>& answer) {
  if (!may_be_there(answer)) return {};
  const std::string_view reason = answer.ok() ? std::string_view() : answer.error().reason.text();
  auto event = event_of(call, contracts::audit::kFileWrite, "runs", run.metadata,
                        {{"path", contracts::audit_text(order.path)},
                         {"bytes", cat(bytes.size())},
                         {"sha256", crypto::sha256_hex(bytes)}},
                        reason);
  ASSIGN_OR_RETURN(
      const uint64_t number,
      call.services.later->add(call.services.store, WriteBehindQueue::audit({std::move(event)})));
  return call.services.later->settle(call.services.store, number);
}

}  // namespace

Result<Run> stored_run(const Call& call) {
  Run run;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(run, txn.get<Run>(call.key()));
    return {};
  }));
  return run;
}

Status check_running(const Run& run) {
  TRY(refuse_array(run, "sandbox"));
  if (run.status.phase == contracts::RunPhase::kRunning) return {};
  return Error{Code::kFailedPrecondition, "RUN_NOT_RUNNING",
               cat("the run is ", wire::enum_name(run.status.phase),
                   contracts::is_terminal(run.status.phase)
                       ? ": what it left are its artifacts (`paddock artifacts NAME`)"
                       : ": it can be looked into while it runs")};
}

Result<Run> running_run(const Call& call) {
  ASSIGN_OR_RETURN(Run run, stored_run(call));
  TRY(check_running(run));
  return run;
}

Result<Response> put_run_file(Call& call) {
  ASSIGN_OR_RETURN(const Run run, running_run(call));
  ASSIGN_OR_RETURN(const std::string bytes, read_content(call));
  FileOrder order;
  order.uid = run.metadata.uid;
  order.operation = contracts::FileOperation::kWrite;
  order.path = call.param("path");
  order.data = base64(bytes);
  TRY(call.services.later->check(call.services.store));
  const Result<FileAnswer> answer = ask(call, run, contracts::kRunPut, order);
  TRY(note_put(call, run, order, bytes, answer));
  if (!answer.ok()) return answer.error();
  return json_response(wire::Value::Object{{"path", order.path}, {"size", bytes.size()}}, 201);
}

Result<Response> read_run_file(Call& call) {
  FileOrder order;
  ASSIGN_OR_RETURN(order.offset, integer_parameter(call.request, "offset", 0, INT64_MAX));
  ASSIGN_OR_RETURN(const Run run, running_run(call));
  order.uid = run.metadata.uid;
  order.path = call.param("path");
  order.most = kMostPart;
  ASSIGN_OR_RETURN(FileAnswer answer, ask(call, run, contracts::kRunFile, order));
  if (!answer.folder) return part_response(answer);
  return object_response(contracts::SessionFileList{call.param("path"), std::move(answer.files)});
}

}  // namespace paddock::api
