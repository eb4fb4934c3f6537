#include "common/base/fault_sentence.h"

#include "common/base/text.h"

namespace paddock {

std::string fault_text(const Cause& cause) {
  return cause.field.empty() ? cause.message : cat(cause.field, ": ", cause.message);
}

std::string more_faults(size_t faults) {
  return faults < 2 ? "" : cat(" (and ", faults - 1, " more)");
}

std::string_view without_more_faults(std::string_view message) {
  const size_t count = message.rfind(" (and ");
  const bool counts = count != std::string_view::npos && message.ends_with(')') &&
                      message.find(" more", count) != std::string_view::npos;
  return counts ? message.substr(0, count) : message;
}

void tell_faults(Error& error) {
  error.message = cat(fault_text(error.causes.front()), more_faults(error.faults));
}

}  // namespace paddock
