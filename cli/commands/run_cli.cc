#include <array>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/parse_args.h"
#include "cli/grammar/other_way.h"
#include "cli/options/option_values.h"
#include "cli/terminal/error_text.h"
#include "common/base/text.h"
#include "common/contracts/names.h"

namespace paddock::cli {
namespace {

using Function = int (*)(const Parsed&, Env&);
constexpr std::array kFunctions = {
    std::pair<std::string_view, Function>{"up", up_command},
    std::pair<std::string_view, Function>{"down", down_command},
    std::pair<std::string_view, Function>{"status", status_command},
    std::pair<std::string_view, Function>{"ready", ready_command},
    std::pair<std::string_view, Function>{"doctor", doctor_command},
    std::pair<std::string_view, Function>{"run", compute_command},
    std::pair<std::string_view, Function>{"compute", compute_command},
    std::pair<std::string_view, Function>{"build", compute_command},
    std::pair<std::string_view, Function>{"plan", plan_command},
    std::pair<std::string_view, Function>{"execute", execute_command},
    std::pair<std::string_view, Function>{"sandbox run", sandbox_run_command},
    std::pair<std::string_view, Function>{"sandbox create", sandbox_create_command},
    std::pair<std::string_view, Function>{"sandbox exec", sandbox_exec_command},
    std::pair<std::string_view, Function>{"sandbox cancel", sandbox_cancel_command},
    std::pair<std::string_view, Function>{"sandbox list", sandbox_list_command},
    std::pair<std::string_view, Function>{"sandbox files", sandbox_files_command},
    std::pair<std::string_view, Function>{"sandbox destroy", sandbox_destroy_command},
    std::pair<std::string_view, Function>{"pytest", pytest_command},
    std::pair<std::string_view, Function>{"get", get_command},
    std::pair<std::string_view, Function>{"describe", describe_command},
    std::pair<std::string_view, Function>{"apply", apply_command},
    std::pair<std::string_view, Function>{"create", create_command},
    std::pair<std::string_view, Function>{"label", label_command},
    std::pair<std::string_view, Function>{"annotate", annotate_command},
    std::pair<std::string_view, Function>{"explain", explain_command},
    std::pair<std::string_view, Function>{"api-resources", api_resources_command},
    std::pair<std::string_view, Function>{"logs", logs_command},
    std::pair<std::string_view, Function>{"events", events_command},
    std::pair<std::string_view, Function>{"wait", wait_command},
    std::pair<std::string_view, Function>{"cancel", cancel_command},
    std::pair<std::string_view, Function>{"rerun", rerun_command},
    std::pair<std::string_view, Function>{"artifacts", artifacts_command},
    std::pair<std::string_view, Function>{"exec", exec_command},
    std::pair<std::string_view, Function>{"files", files_command},
    std::pair<std::string_view, Function>{"cp", cp_command},
    std::pair<std::string_view, Function>{"delete", delete_command},
    std::pair<std::string_view, Function>{"receipt", receipt_command},
    std::pair<std::string_view, Function>{"receipt-keys", receipt_keys_command},
    std::pair<std::string_view, Function>{"verify", verify_command},
    std::pair<std::string_view, Function>{"cordon", cordon_command},
    std::pair<std::string_view, Function>{"uncordon", uncordon_command},
    std::pair<std::string_view, Function>{"drain", drain_command},
    std::pair<std::string_view, Function>{"taint", taint_command},
    std::pair<std::string_view, Function>{"node token", node_token_command},
    std::pair<std::string_view, Function>{"node join", node_join_command},
    std::pair<std::string_view, Function>{"node move", node_move_command},
    std::pair<std::string_view, Function>{"node leave", node_leave_command},
    std::pair<std::string_view, Function>{"node rotate", node_rotate_command},
    std::pair<std::string_view, Function>{"pool slurm", pool_slurm_command},
    std::pair<std::string_view, Function>{"pool describe", pool_describe_command},
    std::pair<std::string_view, Function>{"top", top_command},
    std::pair<std::string_view, Function>{"audit", audit_command},
    std::pair<std::string_view, Function>{"audit verify", audit_verify_command},
    std::pair<std::string_view, Function>{"audit export", audit_export_command},
    std::pair<std::string_view, Function>{"audit checkpoint", audit_checkpoint_command},
    std::pair<std::string_view, Function>{"mcp", mcp_command},
    std::pair<std::string_view, Function>{"admin backup", backup_command},
    std::pair<std::string_view, Function>{"secret create", secret_create_command},
    std::pair<std::string_view, Function>{"secret rotate-key", secret_rotate_command},
    std::pair<std::string_view, Function>{"admin token create", access_token_create_command},
    std::pair<std::string_view, Function>{"admin token list", access_token_list_command},
    std::pair<std::string_view, Function>{"admin token revoke", access_token_revoke_command},
    std::pair<std::string_view, Function>{"token create", token_create_command},
    std::pair<std::string_view, Function>{"token list", token_list_command},
    std::pair<std::string_view, Function>{"token revoke", token_revoke_command},
    std::pair<std::string_view, Function>{"grant explain", grant_explain_command},
    std::pair<std::string_view, Function>{"policy explain", policy_explain_command},
    std::pair<std::string_view, Function>{"kubeconfig", kubeconfig_command},
    std::pair<std::string_view, Function>{"completion", completion_command},
    std::pair<std::string_view, Function>{"version", version_command},
};

// It becomes part of a path.
Status check_namespace(const Parsed& parsed) {
  if (!parsed.has("namespace") || contracts::is_dns_label(parsed.text("namespace"))) return {};
  return invalid_argument("USAGE",
                          cat("`", parsed.text("namespace"),
                              "` is no namespace: lower-case letters, digits and dashes"),
                          "--namespace");
}

}  // namespace

int run_cli(const std::vector<std::string>& args, Env& env) {
  const auto parsed = parse_args(args);
  if (!parsed.ok()) return fail(env, parsed.error());
  if (const auto* help = std::get_if<HelpWanted>(&*parsed)) {
    env.out.write(help->text);
    return 0;
  }
  const auto& wanted = std::get<Parsed>(*parsed);
  if (const Status named = check_namespace(wanted); !named.ok()) return fail(env, named.error());
  const auto patience = wait_option(wanted, "patience");
  if (!patience.ok()) return fail(env, patience.error());
  if (*patience) {
    env.patience = **patience;
    env.patience_given = true;
  }
  env.connection = connection_words(wanted);
  for (const std::string& remark : size_remarks(wanted))
    env.say(cat(paint(env.err, Paint::kYellow, "hint:"), " ", remark));
  for (const auto& [name, function] : kFunctions) {
    if (name == wanted.command) return function(wanted, env);
  }
  return fail(env, {Code::kInternal, "COMMAND_TABLE", "a command has no function"});
}

}  // namespace paddock::cli
