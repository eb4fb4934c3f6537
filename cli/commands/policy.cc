// `paddock policy explain`: where each value of a policy comes from, and what it would have denied.
#include <algorithm>

#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_document.h"
#include "cli/options/option_files.h"
#include "cli/output/output_format.h"
#include "cli/output/policy_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/contracts/api_paths.h"
#include "common/wire/yaml_lines.h"

namespace paddock::cli {
namespace {

using wire::Value;

// The policy's file, and where its fields stand in it.
struct PolicyFile {
  std::string name;
  std::string text;

  std::optional<std::string> place_of(std::string_view field) const {
    const auto line = wire::line_of(text, field);
    if (!line) return std::nullopt;
    return cat(name, ":", *line);
  }
};

Result<std::optional<PolicyFile>> policy_file(const Parsed& parsed) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, read_policy(parsed));
  if (!text) return std::optional<PolicyFile>();
  return std::optional(PolicyFile{shown_file(parsed.text("policy")), std::move(*text)});
}

Status check_no_file(const std::string& name) {
  const auto ends = [&name](const char* ending) { return name.ends_with(ending); };
  if (!ends(".yaml") && !ends(".yml") && !ends(".json")) return {};
  return invalid_argument(
      "USAGE", cat("`", name, "` is no name of a run; did you mean `-f ", name, "`?"), "RUN");
}

Status check_one_subject(const Parsed& parsed) {
  TRY(check_no_file(parsed.text("RUN")));
  const bool policy = parsed.has("policy") || parsed.has("profile");
  if (parsed.has("RUN") && policy)
    return invalid_argument("USAGE", "name a run, or a policy with -f and its --profile: not both",
                            "RUN");
  if (parsed.has("RUN") || policy) return {};
  return invalid_argument("USAGE", "name a run, a policy with -f FILE, or a --profile", "RUN");
}

Result<Value> policy_question(const Parsed& parsed, const std::optional<PolicyFile>& file) {
  Value question(Value::Object{});
  if (parsed.has("RUN")) {
    ASSIGN_OR_RETURN(std::string run, name_of(Kind::kRun, parsed.text("RUN")));
    question.set("run", std::move(run));
  }
  if (parsed.has("against")) {
    ASSIGN_OR_RETURN(std::string run, name_of(Kind::kRun, parsed.text("against")));
    question.set("against", std::move(run));
  }
  if (parsed.has("profile")) question.set("profile", parsed.text("profile"));
  if (!file) return question;
  ASSIGN_OR_RETURN(Value policy, parse_document(file->name, file->text));
  question.set("sandbox", policy.is_null() ? Value(Value::Object{}) : std::move(policy));
  return question;
}

Result<int> explain_policy(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const auto file, policy_file(parsed));
  ASSIGN_OR_RETURN(const Value question, policy_question(parsed, file));
  const std::string target =
      cat(contracts::paths::collection(parsed.text("namespace", "default"), "policy"), "/explain");
  const Result<Value> answer = watcher.client.send("POST", target, question);
  if (!answer.ok())
    return file ? at_its_place(answer.error(), file->name, file->text, "sandbox.") : answer.error();
  ASSIGN_OR_RETURN(const auto explanation, wire::decode<contracts::PolicyExplanation>(*answer));
  const auto place_of = [&file](std::string_view field) {
    return file ? file->place_of(field) : std::nullopt;
  };
  env.out.write(is_document(format) ? document_text(*answer, format)
                                    : policy_text(explanation, place_of));
  if (parsed.has("against") && explanation.denials.empty())
    env.say("note: that run was denied nothing");
  const bool refused = std::ranges::any_of(explanation.rules,
                                           [](const auto& rule) { return !rule.refusal.empty(); });
  return refused ? kExitDenied : kExitOk;
}

}  // namespace

int policy_explain_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    TRY(check_one_subject(parsed));
    return explain_policy(watcher, parsed, env);
  });
}

}  // namespace paddock::cli
