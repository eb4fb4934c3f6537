#include "common/wire/places.h"

#include "common/base/fault_sentence.h"
#include "common/base/text.h"

namespace paddock::wire {

Error with_places(Error error, const std::vector<std::string>& places) {
  if (error.causes.empty()) return error;
  // A server's message does not say whether it is made of the causes.
  if (!places.front().empty() && error.message.starts_with(error.causes.front().field))
    error.message = cat(places.front(), ": ", error.message);
  for (size_t i = 0; i < error.causes.size(); ++i) {
    std::string& field = error.causes[i].field;
    if (!places[i].empty()) field = cat(places[i], field.empty() ? "" : ": ", field);
  }
  if (error.faults > 0) tell_faults(error);
  return error;
}

}  // namespace paddock::wire
