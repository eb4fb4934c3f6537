#include "controller/api/handlers/runs/artifacts.h"

#include "common/os/file.h"
#include "controller/api/handlers/runs/run_kind.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/blob_response.h"

namespace paddock::api {
namespace {

template <class T>
wire::Value encode_all(const std::vector<T>& items) {
  wire::Value::Array out;
  for (const T& item : items) out.push_back(wire::encode(item));
  return out;
}

}  // namespace

Result<Response> list_artifacts(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, read_object<contracts::Run>(call));
  return json_response(wire::Value::Object{
      {"kind", "ArtifactList"},
      {"apiVersion", contracts::kApiVersion},
      {"metadata", wire::Value::Object{{"resourceVersion", run.metadata.resource_version}}},
      {"items", encode_all(run.status.artifacts)},
      {"leftOut", encode_all(run.status.left_out)}});
}

Result<Response> get_artifact(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, read_object<contracts::Run>(call));
  for (const contracts::Artifact& artifact : run.status.artifacts) {
    if (artifact.path != call.param("path")) continue;
    return blob_response(call.request, call.services, artifact.digest,
                         os::base_name(artifact.path));
  }
  return Error{Code::kNotFound, "ARTIFACT_NOT_FOUND",
               "the run has no artifact of this path; its list is at …/artifacts"};
}

}  // namespace paddock::api
