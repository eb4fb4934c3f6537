// Reads the items of lists, and finds the runs that have not ended.
#pragma once

#include <functional>
#include <vector>

#include "common/client/controller_client.h"

namespace paddock::cli {

// The items of a list's answer; none where it has no such field. As long as `list`.
const wire::Value::Array& items_of(const wire::Value& list);

// Each run of every namespace that has not ended, once, part by part. Asked for by phase: the
// server then looks at those alone, however many have ended. The first error of `take` ends it.
Status list_unfinished_runs(client::ControllerClient& client,
                            const std::function<Status(const wire::Value& run)>& take);

}  // namespace paddock::cli
