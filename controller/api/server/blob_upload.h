// The body of a PUT as a blob named {digest}; compressed, if the query says so (contracts/tree.h).
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// `name_space` has then shown to have it. `shown`: as of BlobIntake::receive().
Result<Response> receive_blob(Call& call, const std::string& name_space, cas::Durability durability,
                              bool shown);

}  // namespace paddock::api
