// Which field was meant by one that a type does not have: "did you mean". Pure.
#pragma once

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::wire {

// Each cause that says that a field is unknown says also which one may be meant: one beside it that
// is called nearly so, those elsewhere that are called so, or the only one beside it. `schema`
// gives the document's; it is asked only if there is such a cause.
Error with_near_fields(Error error, Value (*schema)());
Error with_near_fields(Error error, const Value& schema);

}  // namespace paddock::wire
