// `paddock pool slurm`, which stays, and `paddock pool describe`.
#include "cli/pool/pool.h"

#include <atomic>

#include "cli/commands/commands.h"
#include "cli/output/output_format.h"
#include "cli/pool/pool_text.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/named_file.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "common/client/interruptible_pause.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"

namespace paddock::cli {
namespace {

constexpr const char* kPoolConfigFile = "/etc/paddock/pool.yaml";
constexpr size_t kMostConfig = 1 << 20;

Result<std::string> of_pool_file(Result<std::string> text, const char* field) {
  if (text.ok()) return text;
  return Error{Code::kInvalidArgument,
               "CONFIG_INVALID",
               cat(field, ": ", text.error().message),
               {{field, text.error().message}}};
}

// One that is named may be what another program writes; the others are files.
Result<std::string> config_text(const Parsed& parsed) {
  const std::string file = parsed.text("config", kPoolConfigFile);
  const ReadingFile reading;
  Result<std::string> text =
      parsed.has("config") ? os::read_stream(file, kMostConfig) : os::read_file(file, kMostConfig);
  if (text.ok()) return text;
  return of_named_file(text.error(), file);
}

Result<PoolSettings> pool_settings(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const std::string text, of_pool_file(config_text(parsed), "--config"));
  return parse_pool_settings(text, env.vars, parsed.text("config", kPoolConfigFile));
}

Result<http::Endpoint> pool_endpoint(const PoolSettings& settings) {
  http::Endpoint endpoint;
  endpoint.base_url = settings.server;
  if (!settings.ca_file.empty()) {
    ASSIGN_OR_RETURN(endpoint.ca_pem,
                     of_pool_file(os::read_file(settings.ca_file, kMostConfig), "caFile"));
  }
  ASSIGN_OR_RETURN(const std::string token,
                   of_pool_file(os::read_file(settings.token_file, kMostConfig), "tokenFile"));
  endpoint.token = trim(token);
  return endpoint;
}

Result<int> serve_pool(const PoolSettings& settings, const Env& env) {
  ASSIGN_OR_RETURN(const http::Endpoint endpoint, pool_endpoint(settings));
  ASSIGN_OR_RETURN(PoolFolder folder, PoolFolder::open(settings.folder));
  TRY(folder.put_ca(endpoint.ca_pem));
  client::ControllerClient client(endpoint);
  client::InterruptiblePause pause;
  ASSIGN_OR_RETURN(const auto interrupts, Interrupts::start([&](int, int) {
                     client.abort();
                     pause.interrupt();
                   }));
  Pool pool(settings, std::move(folder), Slurm(settings, env.vars, env.clock),
            {client, env.clock, env.random});
  log_info("the pool begins", {{"pool", settings.name}});
  do {
    const Status looked = pool.look();
    if (!looked.ok() && !pause.interrupted())
      log_warn("the pool looks again later", {{"error", looked.error().describe()}});
  } while (pause.wait(settings.look_every.value));
  log_info("the pool stops; its pilots go on until they are idle", {{"pool", settings.name}});
  return kExitOk;
}

Result<int> describe_pool(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const OutputFormat format, parse_output_format(parsed.text("output")));
  ASSIGN_OR_RETURN(const PoolSettings settings, pool_settings(parsed, env));
  ASSIGN_OR_RETURN(const wire::Value state, read_pool_state(settings.folder));
  env.out.write(is_document(format) ? document_text(state, format) : pool_text(state));
  return kExitOk;
}

int pool_ended(const Env& env, const Result<int>& code) {
  return code.ok() ? *code : fail(env, code.error());
}

}  // namespace

int pool_slurm_command(const Parsed& parsed, Env& env) {
  const Result<PoolSettings> settings = pool_settings(parsed, env);
  if (!settings.ok()) return fail(env, settings.error());
  return pool_ended(env, serve_pool(*settings, env));
}

int pool_describe_command(const Parsed& parsed, Env& env) {
  return pool_ended(env, describe_pool(parsed, env));
}

}  // namespace paddock::cli
