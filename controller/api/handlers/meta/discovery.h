// What this server has and how it is doing: discovery for kubectl, health, version, metrics.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

Result<Response> livez(Call& call);
// {ok, ready, version}; 503 while the store cannot be read or written.
Result<Response> readyz(Call& call);
// {ok, version, sandboxMode, shuttingDown}.
Result<Response> server_status(Call& call);
Result<Response> metrics(Call& call);
Result<Response> version(Call& call);

Result<Response> api_versions(Call& call);
Result<Response> core_resources(Call& call);
Result<Response> api_groups(Call& call);
Result<Response> api_group(Call& call);
Result<Response> group_resources(Call& call);
Result<Response> agents_group(Call& call);
Result<Response> agents_resources(Call& call);
Result<Response> agents_openapi(Call& call);
Result<Response> agent_extensions_group(Call& call);
Result<Response> agent_extensions_resources(Call& call);
Result<Response> agent_extensions_openapi(Call& call);
Result<Response> openapi_v2(Call& call);  // for clients before 1.27, in protobuf
Result<Response> openapi_index(Call& call);
Result<Response> openapi_document(Call& call);
Result<Response> list_namespaces(Call& call);
Result<Response> get_namespace(Call& call);  // any valid name: it exists by being used
Result<Response> authorization_resources(Call& call);
Result<Response> authentication_resources(Call& call);

}  // namespace paddock::api
