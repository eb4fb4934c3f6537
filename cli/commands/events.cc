// `paddock events`: everything that happens to a run, until its end.
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/event_printer.h"
#include "cli/output/output_format.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/table.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

bool is_structured(const contracts::RunEvent& event) {
  return event.type == contracts::kEventPhase || event.type == contracts::kEventEnd;
}

wire::Value event_document(const contracts::RunEvent& event) {
  wire::Value document = wire::Value::Object{{"id", event.id}, {"type", event.type}};
  if (event.time_ms > 0) document.set("time", format_time({event.time_ms}, true));
  wire::Value data = to_utf8_lossy(event.data);
  if (is_structured(event)) {
    if (Result<wire::Value> parsed = wire::parse_json(event.data); parsed.ok())
      data = std::move(parsed).value();
  }
  document.set("data", std::move(data));
  return document;
}

std::string event_line(const contracts::RunEvent& event) {
  const std::string text = is_structured(event) ? phase_text(event) : std::string(trim(event.data));
  return render({{}, {{pad_right(cat(event.id), 5), pad_right(event.type, 6), text}}});
}

void print_event(const contracts::RunEvent& event, OutputFormat format, const Env& env) {
  if (format == OutputFormat::kJson)
    return env.out.write(wire::to_json(event_document(event)) + "\n");
  if (format == OutputFormat::kYaml)
    return env.out.write("---\n" + document_text(event_document(event), format));
  env.out.write(event_line(event));
}

}  // namespace

int events_command(const Parsed& parsed, Env& env) {
  const Result<OutputFormat> format = parse_output_format(parsed.text("output"));
  if (!format.ok()) return fail(env, format.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const RunRef run, run_ref(parsed));
    const Status followed = watcher.client.follow_events(run.name_space, run.name, 0, env.patience,
                                                         [&](const contracts::RunEvent& event) {
                                                           print_event(event, *format, env);
                                                           return true;
                                                         });
    TRY(or_other_kind(watcher.client, parsed, run.name, followed));
    return kExitOk;
  });
}

}  // namespace paddock::cli
