#include "controller/api/handlers/runs/media.h"

#include "controller/api/server/audit_writer.h"
#include "controller/api/server/documents.h"

namespace paddock::api {

Result<Response> generate_media(Call& call) {
  auto request = decode_body<contracts::MediaRequest>(call.body);
  if (!request) {
    // The contract's own words, without the path that every other message starts with.
    Error error = std::move(request).error();
    if (!error.causes.empty()) error.message = error.causes[0].message;
    return error;
  }
  const media::Record recorded = [&](store::WriteTxn& txn, std::string_view type,
                                     const contracts::Run& run, std::string_view reason,
                                     std::map<std::string, std::string> details) {
    return record(txn, call, type, "runs", run.metadata, std::move(details), reason);
  };
  ASSIGN_OR_RETURN(const contracts::MediaTask task,
                   media::generate_media_for_run(call.services.media, call.services.store,
                                                 {call.key(), call.principal, *request, recorded},
                                                 call.now(), call.services.random));
  return object_response(task, 202);
}

}  // namespace paddock::api
