// The schemas of every type of the API by its own name, for generators of clients and for
// docs/api.md: each type once, with references to the others and with the value that an absent
// field has. tests/golden/openapi.json is this document. Pure.
#pragma once

#include "common/wire/value.h"

namespace paddock::k8s {

// `components.schemas`: {"Run": {…}, "RunSpec": {…}, …}.
const wire::Value& api_types();

}  // namespace paddock::k8s
