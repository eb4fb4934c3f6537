// One sentence for several faults: the first one, and how many more there are. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace paddock {

// `port: is no number`; a fault of the whole document has no field.
std::string fault_text(const Cause& cause);
// ` (and 2 more)` of three faults; nothing of one.
std::string more_faults(size_t faults);
// The sentence without that. For messages of servers, which do not say how theirs came about.
std::string_view without_more_faults(std::string_view message);
// Makes the message of an error that counts its faults, also anew where its causes have changed.
void tell_faults(Error& error);
// Gives each cause the field that `name` makes of its own, and the message the same.
template <class Name>
void rename_fields(Error& error, const Name& name) {
  for (Cause& cause : error.causes) cause.field = name(cause.field);
  if (error.faults > 0) tell_faults(error);
}

}  // namespace paddock
