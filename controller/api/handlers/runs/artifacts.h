// What a run brought back: the list, and each file by its exact path.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> list_artifacts(Call& call);
Result<Response> get_artifact(Call& call);  // ARTIFACT_NOT_FOUND

}  // namespace paddock::api
