// Workspaces: their files by digest. The objects are in objects.h, creates.h, changes.h and
// deletes.h.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> offer_workspace_tree(Call& call);
Result<Response> get_workspace_tree(Call& call);
Result<Response> put_workspace_blob(Call& call);
Result<Response> send_workspace_blobs(Call& call);  // many small ones at once

}  // namespace paddock::api
