#include "node-agent/executor/run_log.h"

#include "common/base/log.h"

namespace paddock::executor {

void RunLog::say(const std::string& line) {
  if (const Status said = output_.say(line); !said)
    log_warn("a line for a run's log was lost", {{"error", said.error().describe()}});
  announce_();
}

void RunLog::quote(const std::string& text) {
  if (const Status quoted = output_.quote(text); !quoted)
    log_warn("an installer's words were lost", {{"error", quoted.error().describe()}});
  announce_();
}

}  // namespace paddock::executor
