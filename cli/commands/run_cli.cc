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

constexpr std::array kFunctions = {
    std::pair<std::string_view, CommandFunction>{"up", up_command},
    std::pair<std::string_view, CommandFunction>{"down", down_command},
    std::pair<std::string_view, CommandFunction>{"status", status_command},
    std::pair<std::string_view, CommandFunction>{"ready", ready_command},
    std::pair<std::string_view, CommandFunction>{"doctor", doctor_command},
    std::pair<std::string_view, CommandFunction>{"run", compute_command},
    std::pair<std::string_view, CommandFunction>{"compute", compute_command},
    std::pair<std::string_view, CommandFunction>{"build", compute_command},
    std::pair<std::string_view, CommandFunction>{"plan", plan_command},
    std::pair<std::string_view, CommandFunction>{"execute", execute_command},
    std::pair<std::string_view, CommandFunction>{"sandbox run", sandbox_run_command},
    std::pair<std::string_view, CommandFunction>{"sandbox create", sandbox_create_command},
    std::pair<std::string_view, CommandFunction>{"sandbox exec", sandbox_exec_command},
    std::pair<std::string_view, CommandFunction>{"sandbox cancel", sandbox_cancel_command},
    std::pair<std::string_view, CommandFunction>{"sandbox list", sandbox_list_command},
    std::pair<std::string_view, CommandFunction>{"sandbox files", sandbox_files_command},
    std::pair<std::string_view, CommandFunction>{"sandbox destroy", sandbox_destroy_command},
    std::pair<std::string_view, CommandFunction>{"pytest", pytest_command},
    std::pair<std::string_view, CommandFunction>{"get", get_command},
    std::pair<std::string_view, CommandFunction>{"describe", describe_command},
    std::pair<std::string_view, CommandFunction>{"apply", apply_command},
    std::pair<std::string_view, CommandFunction>{"create", create_command},
    std::pair<std::string_view, CommandFunction>{"label", label_command},
    std::pair<std::string_view, CommandFunction>{"annotate", annotate_command},
    std::pair<std::string_view, CommandFunction>{"explain", explain_command},
    std::pair<std::string_view, CommandFunction>{"api-resources", api_resources_command},
    std::pair<std::string_view, CommandFunction>{"logs", logs_command},
    std::pair<std::string_view, CommandFunction>{"events", events_command},
    std::pair<std::string_view, CommandFunction>{"wait", wait_command},
    std::pair<std::string_view, CommandFunction>{"cancel", cancel_command},
    std::pair<std::string_view, CommandFunction>{"signal", signal_command},
    std::pair<std::string_view, CommandFunction>{"rerun", rerun_command},
    std::pair<std::string_view, CommandFunction>{"artifacts", artifacts_command},
    std::pair<std::string_view, CommandFunction>{"exec", exec_command},
    std::pair<std::string_view, CommandFunction>{"files", files_command},
    std::pair<std::string_view, CommandFunction>{"cp", cp_command},
    std::pair<std::string_view, CommandFunction>{"delete", delete_command},
    std::pair<std::string_view, CommandFunction>{"receipt", receipt_command},
    std::pair<std::string_view, CommandFunction>{"receipt-keys", receipt_keys_command},
    std::pair<std::string_view, CommandFunction>{"verify", verify_command},
    std::pair<std::string_view, CommandFunction>{"cordon", cordon_command},
    std::pair<std::string_view, CommandFunction>{"uncordon", uncordon_command},
    std::pair<std::string_view, CommandFunction>{"drain", drain_command},
    std::pair<std::string_view, CommandFunction>{"taint", taint_command},
    std::pair<std::string_view, CommandFunction>{"node token", node_token_command},
    std::pair<std::string_view, CommandFunction>{"node join", node_join_command},
    std::pair<std::string_view, CommandFunction>{"node move", node_move_command},
    std::pair<std::string_view, CommandFunction>{"node leave", node_leave_command},
    std::pair<std::string_view, CommandFunction>{"node rotate", node_rotate_command},
    std::pair<std::string_view, CommandFunction>{"pool slurm", pool_slurm_command},
    std::pair<std::string_view, CommandFunction>{"pool describe", pool_describe_command},
    std::pair<std::string_view, CommandFunction>{"top", top_command},
    std::pair<std::string_view, CommandFunction>{"audit", audit_command},
    std::pair<std::string_view, CommandFunction>{"audit verify", audit_verify_command},
    std::pair<std::string_view, CommandFunction>{"audit export", audit_export_command},
    std::pair<std::string_view, CommandFunction>{"audit checkpoint", audit_checkpoint_command},
    std::pair<std::string_view, CommandFunction>{"mcp", mcp_command},
    std::pair<std::string_view, CommandFunction>{"admin backup", backup_command},
    std::pair<std::string_view, CommandFunction>{"secret create", secret_create_command},
    std::pair<std::string_view, CommandFunction>{"secret rotate-key", secret_rotate_command},
    std::pair<std::string_view, CommandFunction>{"admin token create", access_token_create_command},
    std::pair<std::string_view, CommandFunction>{"admin token list", access_token_list_command},
    std::pair<std::string_view, CommandFunction>{"admin token revoke", access_token_revoke_command},
    std::pair<std::string_view, CommandFunction>{"token create", token_create_command},
    std::pair<std::string_view, CommandFunction>{"token list", token_list_command},
    std::pair<std::string_view, CommandFunction>{"token revoke", token_revoke_command},
    std::pair<std::string_view, CommandFunction>{"grant explain", grant_explain_command},
    std::pair<std::string_view, CommandFunction>{"policy explain", policy_explain_command},
    std::pair<std::string_view, CommandFunction>{"kubeconfig", kubeconfig_command},
    std::pair<std::string_view, CommandFunction>{"completion", completion_command},
    std::pair<std::string_view, CommandFunction>{"version", version_command},
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

CommandFunction command_function(std::string_view words) {
  for (const auto& [name, function] : kFunctions) {
    if (name == words) return function;
  }
  return nullptr;
}

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
  const CommandFunction function = command_function(wanted.command);
  if (function == nullptr)
    return fail(env, {Code::kInternal, "COMMAND_TABLE", "a command has no function"});
  return function(wanted, env);
}

}  // namespace paddock::cli
