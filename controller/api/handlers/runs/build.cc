#include "controller/api/handlers/runs/build.h"

#include "common/base/fault_sentence.h"
#include "controller/api/handlers/runs/build_request.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/objects/creates.h"
#include "controller/api/server/documents.h"

namespace paddock::api {

// Admission and storage are those of every Run; refusals name the fields that the caller wrote.
Result<Response> create_build(Call& call) {
  ASSIGN_OR_RETURN(const auto request, decode_body<BuildRequest>(call.body));
  call.params["ns"] = "default";
  call.body = run_document(request);
  Result<Response> created = create_object<contracts::Run>(call);
  if (created.ok()) return created;
  Error error = std::move(created).error();
  rename_fields(error, build_field);
  return error;
}

}  // namespace paddock::api
