// Records who set which field: server-side apply with its conflicts, and every other write that
// names its manager. Pure: objects as documents in, documents out.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/contracts/meta.h"

namespace paddock::k8s {

using Managers = std::vector<contracts::ManagedFields>;

struct Applied {
  wire::Value object;  // the live one with what was applied
  Managers managers;
};

// Merges what `manager` applies into the live object (null: there is none yet). Fields that this
// manager applied before and does not now, and that nobody else owns, go.
// Conflict (APPLY_CONFLICT) when another manager owns a field with another value, unless `force`;
// its causes name manager and field. Manager "kubectl" takes over what its own client-side apply
// set, as Kubernetes lets it. FIELDS_INVALID; TOO_MANY_MANAGERS.
Result<Applied> apply(const wire::Value& live, const Managers& managers, const wire::Value& applied,
                      const std::string& manager, bool force, WallTime now);

// The live object with every field that `applied` has, no matter who owns it.
wire::Value overlaid(const wire::Value& live, const wire::Value& applied);
// `applied` with each of its fields as `stored` has it, where it has it.
wire::Value in_words_of(const wire::Value& stored, wire::Value applied);

// Records that `manager` (empty: nobody to name) changed `before` into `after` by another write.
Result<Managers> record_update(const wire::Value& before, const wire::Value& after,
                               const Managers& managers, const std::string& manager, WallTime now);

// Whether every entry's fields are a tree of names. FIELDS_INVALID.
Status check_managers(const Managers& managers);
// A manager's name from a query: at most 128 printable characters. FIELD_MANAGER_INVALID.
Status check_manager(const std::string& manager);

}  // namespace paddock::k8s
