#include "controller/runs/stream_events.h"

#include "common/wire/json.h"

namespace paddock::runs {

contracts::RunEvent phase_event(const contracts::Run& run, WallTime now) {
  const contracts::RunStatus& status = run.status;
  const wire::Value data = wire::Value::Object{{"phase", wire::enum_name(status.phase)},
                                               {"reason", status.reason},
                                               {"message", status.message},
                                               {"attempt", status.attempt}};
  return {0, now.ms, std::string(contracts::kEventPhase), wire::to_json(data)};
}

contracts::RunEvent end_event(const contracts::Run& run, WallTime now) {
  const contracts::RunStatus& status = run.status;
  wire::Value rc;
  wire::Value ended;
  if (status.result) {
    rc = status.result->rc;
    ended = wire::encode(status.result->status);
  }
  const wire::Value data = wire::Value::Object{{"phase", wire::enum_name(status.phase)},
                                               {"rc", std::move(rc)},
                                               {"status", std::move(ended)},
                                               {"message", status.message}};
  return {0, now.ms, std::string(contracts::kEventEnd), wire::to_json(data)};
}

}  // namespace paddock::runs
