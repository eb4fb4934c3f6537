// `paddock-controller --check`: whether a controller with this configuration would start and serve,
// one finding for each thing that it needs. Nothing is made, changed or taken: it may run beside
// the controller that it is about, and as often as wanted.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/app/config.h"

namespace paddock::app {

struct Finding {
  std::string name;     // what it is about: `data folder`, `database`, …
  std::string setting;  // the key of the configuration that it hangs on
  std::string details;  // one sentence
  Reason reason = {};   // of a fault; empty: all is well
  bool warns = false;   // a start goes well, and somebody should see to it all the same
  bool good() const { return reason.empty(); }
};

std::vector<Finding> check(const Config& config, const Clock& clock);
// The finding for a configuration that cannot be read.
Finding check_failed(const Error& error);

bool all_good(const std::vector<Finding>& findings);
std::string findings_text(const std::vector<Finding>& findings);
// {"ok": …, "checks": [{"name", "ok", "warning", "setting", "details", "code", "remedy"}]}
std::string findings_json(const std::vector<Finding>& findings);

}  // namespace paddock::app
