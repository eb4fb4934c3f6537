// Volumes are made by runs that publish; here they are only removed. Reading is in objects.h.
#pragma once

#include "controller/api/call.h"

namespace paddock::api {

// Runs that were created with it keep what they see.
Result<Response> delete_volume(Call& call);

}  // namespace paddock::api
