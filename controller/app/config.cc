#include "controller/app/config.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/http_server/cors.h"
#include "controller/http_server/origin.h"

namespace paddock::app {
namespace {

constexpr std::string_view kPrefix = "PADDOCK_CONTROLLER_";

}  // namespace

void NodesConfig::validate(wire::Check& check) const {
  if (lease.value < Millis(2'000)) check.fail("lease", "must be at least 2s");
  if (lost_after.value < lease.value) check.fail("lostAfter", "must not be shorter than lease");
}

void PostgresConfig::validate(wire::Check& check) const {
  if (!url_file.empty() && !url_file.starts_with('/'))
    check.fail("urlFile", "must be the absolute path of a file, which has the URL in it");
  if (lease.value < Millis(2'000) || lease.value > Millis(300'000))
    check.fail("lease", "must be from 2s to 5m");
  const bool http = advertised_url.starts_with("https://") || advertised_url.starts_with("http://");
  if (!advertised_url.empty() &&
      (!http || !std::ranges::all_of(advertised_url, [](char c) { return c > ' ' && c < 0x7F; })))
    check.fail("advertisedUrl", "must start with https:// or http://, without spaces");
}

void ArtifactConfig::validate(wire::Check& check) const {
  for (size_t i = 0; i < compute_types.size(); ++i) {
    const std::string& type = compute_types[i];
    const bool good = type.size() > 1 && type.rfind('.') == 0 && type.size() <= 32 &&
                      type.find('/') == std::string::npos && type == ascii_lower(type);
    if (!good)
      check.fail(cat("computeTypes[", i, "]"),
                 "must be one ending in lower case, such as .pt: only a name's last one counts");
  }
}

void MediaConfig::validate(wire::Check& check) const {
  const bool known = provider_url.starts_with("http://") || provider_url.starts_with("https://");
  if (!provider_url.empty() && !known)
    check.fail("providerUrl", "must start with http:// or https://");
  if (timeout.value < Millis(100) || timeout.value > Millis(120'000))
    check.fail("timeout", "must be from 100ms to 2m");
}

void Config::validate(wire::Check& check) const {
  if (tls.cert_file.empty() != tls.key_file.empty())
    check.fail("tls", "certFile and keyFile belong together");
  if (plain_http && !tls.cert_file.empty())
    check.fail("plainHttpOnLoopback", "must be false when tls is given");
  for (size_t i = 0; i < allowed_origins.size(); ++i) {
    if (!http_server::is_origin(allowed_origins[i]))
      check.fail(cat("allowedOrigins[", i, "]"),
                 "must be an origin as browsers send it: https://app.example or "
                 "http://localhost:5173, in lower case, without a path or the scheme's own port");
  }
  if (blobs.keep_unused.value < std::chrono::hours(1))
    check.fail("blobs.keepUnused", "must be 1h or more, so that no upload loses its files");
  if (log_level != "debug" && log_level != "info" && log_level != "warn" && log_level != "error") {
    check.fail("logLevel", "must be debug, info, warn or error");
  }
  if (!profiles_dir.empty() && !profiles_dir.starts_with('/'))
    check.fail("profilesDir", "must be an absolute path");
  if (!data_dir.starts_with('/')) check.fail("dataDir", "must be an absolute path");
}

bool wants_execute_token(const Config& config) {
  return config.execute.port != 0 && !http_server::is_loopback_name(config.execute.host);
}

api::FirstTokens first_tokens(const Config& config) {
  return {.folder = os::join_path(config.data_dir, "tokens"),
          .given = !config.store.postgres.shared_dir.empty(),
          .enroll = config.enroll_token,
          .execute = wants_execute_token(config)};
}

bool serves_tls(const Config& config) { return !config.plain_http || wants_execute_token(config); }

bool serves_local_ca(const Config& config) {
  return serves_tls(config) && config.tls.cert_file.empty();
}

std::map<std::string, std::string> config_variables() {
  return wire::settings_variables(kPrefix, wire::schema<Config>());
}

Result<Config> load_config(std::string_view yaml,
                           const std::map<std::string, std::string>& environment,
                           wire::SettingsNames names) {
  const wire::SettingsSource source(yaml, environment, kPrefix, wire::schema<Config>(),
                                    std::move(names));
  ASSIGN_OR_RETURN(const wire::Value document, source.read());
  ASSIGN_OR_RETURN(Config config,
                   source.decoded<Config>(document, {"ceilings", "scheduling.quotas"}));
  const wire::Value* data_dir = document.find("dataDir");
  if (config.sandbox_mode && (data_dir == nullptr || data_dir->is_null()))
    return invalid_argument("CONFIG_INVALID",
                            "dataDir is required when sandboxMode is enabled: storage of its own",
                            "dataDir");
  return config;
}

}  // namespace paddock::app
