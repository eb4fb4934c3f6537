// `paddock plan`: what `paddock run` or `compute` would do, without doing it.
#include "cli/client/run_plan.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_job.h"
#include "cli/grammar/other_way.h"
#include "cli/options/compute_options.h"
#include "cli/options/option_files.h"
#include "cli/output/output_format.h"
#include "cli/output/run_report.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "cli/terminal/table.h"
#include "common/cas/tree.h"
#include "common/contracts/run_plan.h"

namespace paddock::cli {
namespace {

using contracts::RunPlan;

void print_artifact_types(const RunPlan& plan, const Env& env) {
  if (plan.artifact_types.empty()) return;
  env.out.write(cat("artifacts: of type compute only files that end in ",
                    join(plan.artifact_types, " "),
                    " come back; `paddock run` brings back every file\n"));
}

void print_project(const cas::Scan& scan, const Env& env) {
  env.out.write(cat("project: ", scan.tree.entries.size(),
                    scan.tree.entries.size() == 1 ? " file" : " files", ", at most ",
                    format_bytes(scan.bytes), " to upload\n"));
  if (scan.left_out.empty()) return;
  env.out.write(left_out_title(scan) + "\n");
  env.out.write(left_out_text(scan.left_out, cas::worth_telling(scan), "  "));
}

void print(const RunPlan& plan, const Env& env) {
  if (plan.placed) {
    env.out.write(cat("would run at once on node ", printable(plan.node), "\n"));
  } else {
    env.out.write(cat("would wait: ", printable(plan.message), "\n"));
  }
  if (plan.ahead > 0)
    env.out.write(cat("waiting before it: ", plan.ahead, plan.ahead == 1 ? " run\n" : " runs\n"));
  Table enforced{{"CAPABILITY", "PROVEN", "MECHANISM"}, {}};
  for (const auto& each : plan.enforced)
    enforced.rows.push_back({each.capability, each.available ? "yes" : "no", each.mechanism});
  if (!enforced.rows.empty()) env.out.write("enforced there:\n" + render(enforced, "  "));
}

Result<int> plan(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OptionFiles files, read_option_files(parsed));
  ASSIGN_OR_RETURN(const ComputeOptions options, compute_options(parsed, env, files));
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("format")));
  const bool has_project = !options.folder.empty();
  cas::Scan scan;
  if (has_project) {
    ASSIGN_OR_RETURN(scan, scan_project(options.folder, {}));
  }
  const contracts::Run run = make_run(options, "plan", "");
  ASSIGN_OR_RETURN(const wire::Value answer, ask_plan(watcher.client, run, scan.tree));
  ASSIGN_OR_RETURN(const RunPlan decoded, wire::decode<RunPlan>(answer));
  if (is_document(format)) {
    env.out.write(document_text(answer, format));
  } else {
    if (has_project) print_project(scan, env);
    print(decoded, env);
    if (!options.artifact_dirs.empty()) print_artifact_types(decoded, env);
  }
  return decoded.placed ? kExitOk : kExitFailure;
}

}  // namespace

int plan_command(const Parsed& parsed, Env& env) {
  Error refusal;
  const int code = watch(parsed, env, [&](Watcher& watcher) {
    Result<int> out = plan(watcher, parsed, env);
    if (!out.ok()) refusal = out.error();
    return out;
  });
  tell_other_way(parsed, refusal, env);
  return code;
}

}  // namespace paddock::cli
