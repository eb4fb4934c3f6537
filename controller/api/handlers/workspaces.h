// Workspaces: delete, and their files by digest. Reading the objects is in objects.h.
#pragma once

#include "controller/api/call.h"

namespace paddock::api {

Result<Response> delete_workspace(Call& call);
Result<Response> offer_workspace_tree(Call& call);
Result<Response> get_workspace_tree(Call& call);
Result<Response> put_workspace_blob(Call& call);

}  // namespace paddock::api
