// The body of a PUT as a blob named {digest}; compressed, if the query says so (contracts/tree.h).
#pragma once

#include "controller/api/call.h"

namespace paddock::api {

Result<Response> receive_blob(Call& call, cas::Durability durability);

}  // namespace paddock::api
