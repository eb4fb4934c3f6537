// The dashboard's files, for anybody: they are this program's own and the same for all.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// GET /: the page, for who asks for one. ROUTE_NOT_FOUND for a client that wants JSON only.
Result<Response> dashboard_page(Call& call);
// GET /dashboard/{file}. FILE_NOT_FOUND.
Result<Response> dashboard_file(Call& call);

}  // namespace paddock::api
