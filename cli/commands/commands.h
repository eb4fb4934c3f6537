// One function per command; each in a file of its own. Each returns the program's exit code.
#pragma once

#include "cli/grammar/command_table.h"
#include "cli/terminal/env.h"

namespace paddock::cli {

int up_command(const Parsed& parsed, Env& env);
int down_command(const Parsed& parsed, Env& env);
int status_command(const Parsed& parsed, Env& env);
int ready_command(const Parsed& parsed, Env& env);
int doctor_command(const Parsed& parsed, Env& env);
int compute_command(const Parsed& parsed, Env& env);
int plan_command(const Parsed& parsed, Env& env);
int execute_command(const Parsed& parsed, Env& env);
int sandbox_run_command(const Parsed& parsed, Env& env);
int sandbox_create_command(const Parsed& parsed, Env& env);
int sandbox_exec_command(const Parsed& parsed, Env& env);
int sandbox_cancel_command(const Parsed& parsed, Env& env);
int sandbox_list_command(const Parsed& parsed, Env& env);
int sandbox_files_command(const Parsed& parsed, Env& env);
int sandbox_destroy_command(const Parsed& parsed, Env& env);
int pytest_command(const Parsed& parsed, Env& env);
int get_command(const Parsed& parsed, Env& env);
int describe_command(const Parsed& parsed, Env& env);
int apply_command(const Parsed& parsed, Env& env);
int create_command(const Parsed& parsed, Env& env);
int label_command(const Parsed& parsed, Env& env);
int annotate_command(const Parsed& parsed, Env& env);
int explain_command(const Parsed& parsed, Env& env);
int api_resources_command(const Parsed& parsed, Env& env);
int logs_command(const Parsed& parsed, Env& env);
int events_command(const Parsed& parsed, Env& env);
int wait_command(const Parsed& parsed, Env& env);
int rerun_command(const Parsed& parsed, Env& env);
int cancel_command(const Parsed& parsed, Env& env);
int signal_command(const Parsed& parsed, Env& env);
int artifacts_command(const Parsed& parsed, Env& env);
int delete_command(const Parsed& parsed, Env& env);
int cordon_command(const Parsed& parsed, Env& env);
int uncordon_command(const Parsed& parsed, Env& env);
int drain_command(const Parsed& parsed, Env& env);
int taint_command(const Parsed& parsed, Env& env);
int node_token_command(const Parsed& parsed, Env& env);
int node_join_command(const Parsed& parsed, Env& env);
int node_move_command(const Parsed& parsed, Env& env);
int node_leave_command(const Parsed& parsed, Env& env);
int node_rotate_command(const Parsed& parsed, Env& env);
int policy_explain_command(const Parsed& parsed, Env& env);
int audit_command(const Parsed& parsed, Env& env);
int audit_verify_command(const Parsed& parsed, Env& env);
int audit_export_command(const Parsed& parsed, Env& env);
int audit_checkpoint_command(const Parsed& parsed, Env& env);
int receipt_command(const Parsed& parsed, Env& env);
int receipt_keys_command(const Parsed& parsed, Env& env);
int verify_command(const Parsed& parsed, Env& env);
int pool_slurm_command(const Parsed& parsed, Env& env);
int pool_describe_command(const Parsed& parsed, Env& env);
int top_command(const Parsed& parsed, Env& env);
int exec_command(const Parsed& parsed, Env& env);
int files_command(const Parsed& parsed, Env& env);
int cp_command(const Parsed& parsed, Env& env);
int mcp_command(const Parsed& parsed, Env& env);
int backup_command(const Parsed& parsed, Env& env);
int secret_create_command(const Parsed& parsed, Env& env);
int secret_rotate_command(const Parsed& parsed, Env& env);
int access_token_create_command(const Parsed& parsed, Env& env);
int access_token_list_command(const Parsed& parsed, Env& env);
int access_token_revoke_command(const Parsed& parsed, Env& env);
int token_create_command(const Parsed& parsed, Env& env);
int token_list_command(const Parsed& parsed, Env& env);
int token_revoke_command(const Parsed& parsed, Env& env);
int grant_explain_command(const Parsed& parsed, Env& env);
int kubeconfig_command(const Parsed& parsed, Env& env);
int completion_command(const Parsed& parsed, Env& env);
int version_command(const Parsed& parsed, Env& env);

// The function of a command by its words; nullptr for none.
using CommandFunction = int (*)(const Parsed&, Env&);
CommandFunction command_function(std::string_view words);

// Parses and runs `paddock <args>`.
int run_cli(const std::vector<std::string>& args, Env& env);

}  // namespace paddock::cli
