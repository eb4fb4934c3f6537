#include "common/wire/places.h"

#include "common/base/text.h"

namespace paddock::wire {

Error with_places(Error error, const std::vector<std::string>& places) {
  if (error.causes.empty()) return error;
  if (!places.front().empty() && error.message.starts_with(error.causes.front().field))
    error.message = cat(places.front(), ": ", error.message);
  for (size_t i = 0; i < error.causes.size(); ++i) {
    std::string& field = error.causes[i].field;
    if (!places[i].empty()) field = cat(places[i], field.empty() ? "" : ": ", field);
  }
  return error;
}

}  // namespace paddock::wire
