// What a pool of hosts that can be asked for says of a run that waits.
// PUT namespaces/{ns}/runs/{name}/pools/{pool}
#pragma once

#include <string>

#include "common/base/control_text.h"
#include "common/contracts/meta.h"

namespace paddock::contracts {

struct PoolReport {
  bool coming = false;
  std::string message;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("coming", &PoolReport::coming,
              "whether a host is on its way that could take the run"),
        field("message", &PoolReport::message, "which one, or why none is: one line of plain text",
              {.required = true, .min_length = 1, .max_length = 512}));
  }
  void validate(wire::Check& check) const {
    if (has_control(message)) check.fail("message", "must be one line without control characters");
  }
};

}  // namespace paddock::contracts
