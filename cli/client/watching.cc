#include "cli/client/watching.h"

#include <unistd.h>

#include <atomic>

#include "cli/client/connection.h"
#include "cli/client/name_choice.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/raw_terminal.h"
#include "common/base/text.h"

namespace paddock::cli {

Result<RunRef> run_ref(const Parsed& parsed) {
  ASSIGN_OR_RETURN(std::string name, name_of(Kind::kRun, parsed.text("NAME")));
  return RunRef{parsed.text("namespace", "default"), std::move(name)};
}

void say_when_waiting(client::ControllerClient& client, const Env& env) {
  client.set_on_waiting([&env](const Error& error) {
    env.say(
        cat(error.message, "; trying again for ", format_duration(env.patience), " (--patience)"));
  });
}

Result<int> or_timeout(const Error& error, std::optional<MonoTime> until, const Env& env) {
  const bool nobody_answers = error.reason != "ABORTED" && (error.code == Code::kUnavailable ||
                                                            error.code == Code::kDeadlineExceeded);
  if (!until || !nobody_answers || env.clock.mono() < *until) return error;
  (void)fail(env, error);
  return kExitTimeout;
}

namespace {

// Sends again what nobody has begun, for as long as `client` does.
class PatientHttp final : public http::Client {
 public:
  PatientHttp(client::ControllerClient& client, http::Client& http)
      : client_(client), http_(http) {}
  Result<http::Response> send(const http::Request& request) override {
    return client_.send_by(http_, request);
  }
  void abort() override { http_.abort(); }

 private:
  client::ControllerClient& client_;
  http::Client& http_;
};

}  // namespace

int watch(const Parsed& parsed, const Env& env, const std::function<Result<int>(Watcher&)>& body) {
  const Result<http::Endpoint> endpoint = resolve_endpoint(connection_options(parsed), env);
  if (!endpoint.ok()) return fail(env, endpoint.error());
  client::ControllerClient client(*endpoint, env.patience);
  say_when_waiting(client, env);
  const std::unique_ptr<http::Client> http = http::make_client(*endpoint);
  std::atomic<int> signal{0};
  const auto interrupts = Interrupts::start([&](int which, int count) {
    if (count > 1) {
      restore_terminal();
      ::_exit(128 + which);
    }
    signal = which;
    client.abort();
    http->abort();
  });
  if (!interrupts.ok()) return fail(env, interrupts.error());
  PatientHttp patient(client, *http);
  Watcher watcher{*endpoint, client, patient};
  const Result<int> code = body(watcher);
  if (signal != 0) return 128 + signal;
  return code.ok() ? *code : fail(env, code.error());
}

}  // namespace paddock::cli
