// `paddock signal`.
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/run_signal.h"

namespace paddock::cli {
namespace {

using contracts::RunSignal;

// As `kill` takes it: `USR1` or `SIGUSR1`, in any case.
Result<RunSignal> signal_of(const std::string& word) {
  std::string name = word;
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (name.starts_with("SIG")) name.erase(0, 3);
  if (const auto signal = wire::parse_enum<RunSignal>(name)) return *signal;
  const bool ends = name == "KILL" || name == "QUIT" || name == "9";
  return invalid_argument("INVALID_OPTION",
                          cat("`", word, "` is none of HUP, INT, TERM, USR1, USR2, WINCH and CONT",
                              ends ? "; `paddock cancel --now` kills a run" : ""),
                          "SIGNAL");
}

}  // namespace

int signal_command(const Parsed& parsed, Env& env) {
  const Result<RunSignal> signal = signal_of(parsed.text("SIGNAL"));
  if (!signal.ok()) return fail(env, signal.error());
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const RunRef run, run_ref(parsed));
    const auto sent =
        watcher.client.send("POST", cat(contracts::paths::run(run.name_space, run.name), "/signal"),
                            wire::encode(contracts::SignalRequest{*signal}));
    TRY(or_other_kind(watcher.client, parsed, run.name, sent.ok() ? Status() : sent.error()));
    env.say(cat("run ", run.name, " was sent ", wire::enum_name(*signal)));
    return kExitOk;
  });
}

}  // namespace paddock::cli
