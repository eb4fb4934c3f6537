// The body of a PUT as a blob named {digest}; compressed, if the query says so (contracts/tree.h).
#pragma once

#include <functional>

#include "controller/api/server/call.h"

namespace paddock::api {

// `name_space` has then shown to have it. `shown`: as of BlobIntake::receive().
Result<Response> receive_blob(Call& call, const std::string& name_space, cas::Durability durability,
                              bool shown);

// The body of a POST as a bundle of them (common/cas/bundle.h), compressed as a whole if the query
// says so: each is stored as it arrives, as receive_blob() stores it, and stays if a later one is
// refused. `at_hand` tells what `shown` is for each.
Result<Response> receive_bundle(Call& call, const std::string& name_space,
                                const std::function<bool(const cas::Digest&)>& at_hand);

}  // namespace paddock::api
