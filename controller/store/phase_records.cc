#include "controller/store/phase_records.h"

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/base/event_name.h"

namespace paddock::store {

using wire::Value;

Key phase_key(const PhaseRecord& record) {
  return {record.run.name_space, event_name(record.run.name, record.run_uid, record.event.id)};
}

std::string phase_text(const PhaseRecord& record) {
  return wire::to_json(Value::Object{{"namespace", record.run.name_space},
                                     {"run", record.run.name},
                                     {"uid", record.run_uid},
                                     {"object", record.object_id},
                                     {"version", record.resource_version},
                                     {"id", record.event.id},
                                     {"timeMs", record.event.time_ms},
                                     {"data", record.event.data}});
}

Result<PhaseRecord> parse_phase(std::string_view text) {
  auto parsed = wire::parse_json(text, internal::kStoredLimits);
  if (!parsed) return internal::undecodable(kPhaseKind, "", parsed.error());
  const Value& value = *parsed;
  const auto number = [&](const char* name) {
    const Value* member = value.find(name);
    return member != nullptr && member->integer() != nullptr ? *member->integer() : 0;
  };
  PhaseRecord record;
  record.run = {value.text("namespace"), value.text("run")};
  record.run_uid = value.text("uid");
  record.object_id = number("object");
  record.resource_version = number("version");
  record.event = {number("id"), number("timeMs"), std::string(contracts::kEventPhase),
                  value.text("data")};
  return record;
}

}  // namespace paddock::store
