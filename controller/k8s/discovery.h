// The documents by which kubectl finds out what this server can do. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/contracts/meta.h"
#include "common/wire/value.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {

// GET /version. The minor version decides which client the kubectl dispatcher of some vendors
// starts.
wire::Value version();
wire::Value api_versions();                                         // GET /api
wire::Value core_resources();                                       // GET /api/v1
wire::Value api_groups();                                           // GET /apis
wire::Value api_group(std::string_view group = contracts::kGroup);  // GET /apis/{group}
// GET /apis/{group}/{version} of a group whose objects can be written; ours unless another one is
// named.
wire::Value group_resources(std::span<const Resource> resources = kResources);
wire::Value authorization_resources();  // GET /apis/authorization.k8s.io/v1
wire::Value authentication_resources(std::string_view version);
wire::Value metrics_resources();  // GET /apis/metrics.k8s.io/v1beta1

// GET /api/v1/namespaces[/{name}]: namespaces exist by being used.
wire::Value name_space(std::string_view name);

// GET /openapi/v3 and the documents it names, one for each group that can be written. The hash
// changes with the document.
wire::Value openapi_index();
const wire::Value& openapi_document(std::string_view group = contracts::kGroup);
// GET /openapi/v2: the same in the protobuf form that clients before 1.27 read.
const std::string& openapi_v2_document();

}  // namespace paddock::k8s
