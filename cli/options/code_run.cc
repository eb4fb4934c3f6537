#include "cli/options/code_run.h"

#include "cli/options/option_values.h"

namespace paddock::cli {

Result<contracts::Run> code_run(const Parsed& parsed, std::string code,
                                std::optional<wire::Value> input, const std::string& made_up_name) {
  contracts::Run run;
  run.metadata.name = parsed.text("name", made_up_name);
  run.metadata.name_space = parsed.text("namespace", "default");
  ASSIGN_OR_RETURN(run.metadata.labels, parse_labels(parsed.list("label")));
  run.spec.type = contracts::RunType::kCode;
  run.spec.code = std::move(code);
  run.spec.input_data = std::move(input);
  ASSIGN_OR_RETURN(const std::optional<Millis> timeout, duration_option(parsed, "timeout"));
  if (timeout) {
    run.spec.timeout = wire::Duration{*timeout};
    run.spec.sandbox.limits.cpu_time = wire::Duration{*timeout};
  }
  ASSIGN_OR_RETURN(const std::optional<int64_t> memory, quantity_option(parsed, "memory"));
  if (memory) run.spec.sandbox.limits.memory = wire::Quantity{*memory};
  return run;
}

}  // namespace paddock::cli
