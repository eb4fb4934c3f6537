// Which fields of the kinds of agents.x-k8s.io are served here, and what may stand in them: one
// table gives the check of a caller's document and its schema. A field that is in no row is refused
// by its name, whatever the caller says of unknown fields: it would ask for something that a
// session does not have. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::agent_sandboxes {

enum class Kind { kSandbox, kTemplate, kWarmPool, kClaim };

enum class Is { kObject, kList, kText, kTexts, kNumber, kFlag, kWords, kQuantity, kTime };

struct FieldRow {
  std::string_view path;  // below spec; `[]` is any item of a list
  Is is = Is::kObject;
  std::string_view says;
  std::string_view only = "";  // what alone may stand there, separated by `|`
  bool required = false;
};

const std::vector<FieldRow>& fields_of(Kind kind);

// FailedPrecondition with a cause for every field: FIELD_NOT_SERVED, or INVALID_FIELD where all of
// them are served. `document` is the whole object.
Status check_fields(Kind kind, const wire::Value& document);

// The schema of `spec`, in the form of OpenAPI.
wire::Value spec_schema(Kind kind);

}  // namespace paddock::agent_sandboxes
