#include "controller/app/check.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/start_reserve.h"
#include "common/wire/json.h"
#include "controller/app/check_places.h"
#include "controller/app/database.h"
#include "controller/app/listening.h"
#include "controller/app/open_blobs.h"
#include "controller/app/own_files.h"
#include "controller/app/profiles.h"
#include "controller/app/shared_files.h"
#include "controller/http_server/certificate_files.h"
#include "controller/http_server/unix_socket.h"
#include "controller/standby/database_clock.h"
#include "controller/store/examine.h"
#include "controller/store/lead_watch.h"

namespace paddock::app {
namespace {

constexpr const char* kDatabaseSetting = "store.postgres.urlFile";

Finding well(std::string name, std::string setting, std::string details) {
  return {std::move(name), std::move(setting), std::move(details)};
}

// The error's own field is nearer than the one that was looked at.
Finding fault(std::string name, std::string setting, const Error& error) {
  if (!error.causes.empty()) setting = error.causes.front().field;
  return {std::move(name), std::move(setting), error.describe(),
          error.reason.empty() ? Reason("SYSTEM_ERROR") : error.reason};
}

Finding told(std::string name, std::string setting, const Status& status, std::string details) {
  if (!status.ok()) return fault(std::move(name), std::move(setting), status.error());
  return well(std::move(name), std::move(setting), std::move(details));
}

bool on_postgres(const Config& config) { return !config.store.postgres.url_file.empty(); }

std::string schema_words(const store::Examined& found) {
  if (found.schema == 0) return "nothing is stored yet: made at the first start";
  if (found.schema < found.newest_schema)
    return cat("schema ", found.schema, ", brought to ", found.newest_schema, " at the next start");
  return cat("schema ", found.schema);
}

std::string store_words(const store::Examined& found) {
  std::string out = cat(found.engine, "; ", schema_words(found));
  if (!found.leader.empty()) out += cat("; led by ", found.leader);
  return out;
}

Finding check_clock(Millis ahead) {
  const std::string words = standby::clock_words(ahead);
  if (!standby::is_wrong(ahead)) return well("database clock", "store.postgres.urlFile", words);
  return {"database clock", "store.postgres.urlFile", words, "CLOCK_WRONG"};
}

// Checks that this controller has the files that a standby shares with the controller that leads or
// led.
Finding check_shared(const Config& config, const store::PostgresOptions& options) {
  const std::string name = "files of the leader";
  auto watch = store::LeadWatch::open(options);
  if (!watch.ok()) return fault(name, "dataDir", watch.error());
  const auto lead = (*watch)->look();
  if (!lead.ok()) return fault(name, "dataDir", lead.error());
  if (lead->anew || (lead->ours && lead->free))
    return well(name, "dataDir", "this instance led last, or nobody");
  const auto same = check_shared_files(**watch, config);
  return told(name, "dataDir", same.ok() ? Status() : Status(same.error()),
              "what both must have is the same here");
}

// Checks that the key is here which the next leader needs for Secrets. Without it a standby still
// stands by, and says so.
Finding check_secret_key(const Config& config, const store::PostgresOptions& options) {
  const std::string name = "key of Secrets";
  const auto watch = store::LeadWatch::open(options);
  if (!watch.ok()) return fault(name, "dataDir", watch.error());
  const auto lacks = lacks_secret_key(**watch, config);
  if (!lacks.ok()) return fault(name, "dataDir", lacks.error());
  if (!*lacks) return well(name, "dataDir", "that of the store, where it has one");
  return {name, "dataDir", kSecretKeyWords, "SECRET_KEY_MISSING"};
}

void check_store(const Config& config, const Clock& clock, std::vector<Finding>& out) {
  const std::string setting = on_postgres(config) ? kDatabaseSetting : "dataDir";
  const std::string name = on_postgres(config) ? "database" : "store";
  const auto options = store_options_as_they_are(config);
  if (!options.ok()) return out.push_back(fault(name, setting, options.error()));
  const auto found = store::examine(*options, clock);
  if (!found.ok()) return out.push_back(fault(name, setting, found.error()));
  out.push_back(well(name, setting, store_words(*found)));
  if (found->ahead) out.push_back(check_clock(*found->ahead));
  if (!options->postgres || found->schema == 0) return;
  out.push_back(check_shared(config, *options->postgres));
  out.push_back(check_secret_key(config, *options->postgres));
}

// Tries the folder as a start would find it: a start first gives up the file that is kept for a
// full disk.
Status try_place(const Config& config, const std::string& folder) {
  const Status tried = try_folder(folder);
  if (tried.ok() || tried.error().reason != "DISK_FULL") return tried;
  return os::look_at_room(config.data_dir) == os::Reserve::kGivenUp ? Status() : tried;
}

Finding warn_if_full(const Config& config, Finding found) {
  const std::string full = os::full_disk_text(os::look_at_room(config.data_dir));
  if (full.empty() || !found.good()) return found;
  found.warns = true;
  found.details =
      cat(full, ": remove files beside the data folder, or old backups (backups/) in it");
  return found;
}

Status try_bucket(const Config& config, const Clock& clock) {
  TRY(check_bucket(config, clock));
  return try_place(config, os::join_path(config.data_dir, "bucket-cache"));
}

Finding check_blobs(const Config& config, const Clock& clock) {
  if (config.blobs.s3.used())
    return told("bucket", "blobs.s3", try_bucket(config, clock),
                cat("bucket ", config.blobs.s3.bucket,
                    " can be listed; whether it takes files is tried at the start alone"));
  const Result<bool> in_bucket = os::is_there(bucket_mark(config.data_dir));
  if (!in_bucket.ok()) return fault("files", "dataDir", in_bucket.error());
  if (*in_bucket)
    return fault("files", "blobs.s3",
                 Error{Code::kFailedPrecondition, "BLOBS_ELSEWHERE",
                       "the files of this data folder lie in a bucket: set blobs.s3 again"});
  return told("files", "dataDir", try_place(config, os::join_path(config.data_dir, "blobs/tmp")),
              "in the data folder");
}

Finding check_profiles(const Config& config) {
  const auto profiles = profiles_of(config);
  if (!profiles.ok()) return fault("profiles", "profilesDir", profiles.error());
  return well("profiles", "profilesDir",
              cat(profiles->size(), config.profiles_dir.empty() ? ", the built-in ones"
                                                                : " with those of the folder"));
}

// All that the start itself puts into the data folder.
Status try_data_folder(const Config& config) {
  TRY(try_place(config, config.data_dir));
  TRY(try_lock(config));
  TRY(try_place(config, os::join_path(config.data_dir, "tokens")));
  return check_own_files(config);
}

Finding check_data_folder(const Config& config) {
  return warn_if_full(config, told("data folder", "dataDir", try_data_folder(config),
                                   runs_here(config) ? "can be written; a controller runs with it"
                                                     : "can be written"));
}

Status try_tls(const Config& config, const Clock& clock) {
  if (serves_tls(config))
    TRY(http_server::check_tls_files(certificate_settings(config), clock.wall()));
  if (!serves_local_ca(config)) return {};
  return try_place(config, os::join_path(config.data_dir, "tls"));
}

Finding check_tls(const Config& config, const Clock& clock) {
  return told("TLS", config.tls.cert_file.empty() ? "dataDir" : "tls", try_tls(config, clock),
              config.plain_http              ? "none, on loopback alone"
              : config.tls.cert_file.empty() ? "of the local CA"
                                             : "of tls.certFile");
}

// Tries to listen on each port, and keeps the ports until all were tried, as a start does: two
// settings may not name one address.
class Ports {
 public:
  explicit Ports(const Config& config) : config_(config), runs_(runs_here(config)) {}

  Finding check(const std::string& host, int64_t port, const std::string& setting) {
    const bool loopback_alone = setting == "port" && config_.plain_http;
    auto free = try_port(host, static_cast<int>(port), loopback_alone);
    if (!free.ok()) return in_use(setting, free.error());
    taken_.push_back(std::move(*free));
    return well(setting, setting,
                port == 0 ? "any free one" : cat(host, " port ", port, " is free"));
  }

 private:
  Finding in_use(const std::string& setting, Error error) const {
    if (error.reason == "PORT_IN_USE" && runs_)
      return well(setting, setting, "in use, and a controller runs with this data folder");
    for (Cause& cause : error.causes)
      if (cause.field == "port") cause.field = setting;
    Finding found = fault(setting, setting, error);
    found.setting = setting;
    return found;
  }

  const Config& config_;
  const bool runs_;
  std::vector<Taken> taken_;
};

// Beside a running controller both are in use, and nothing else would tell.
bool is_one_address(const Config& config) {
  return config.execute.port == config.port && config.execute.host == config.host;
}

Finding check_execute(const Config& config, Ports& ports) {
  const std::string setting = "execute.port";
  if (is_one_address(config))
    return fault(setting, setting,
                 Error{Code::kFailedPrecondition, "PORT_IN_USE", "is the same as port"});
  return ports.check(config.execute.host, config.execute.port, setting);
}

Finding check_unix_socket(const Config& config) {
  const std::string name = "unix socket";
  const Status free = http_server::try_unix_socket(config.unix_socket);
  const bool ours = !free.ok() && free.error().reason == "UNIX_SOCKET_IN_USE" && runs_here(config);
  if (ours) return well(name, "unixSocket", "in use, and a controller runs with this data folder");
  return told(name, "unixSocket", free, "can be made");
}

void check_listening(const Config& config, std::vector<Finding>& out) {
  Ports ports(config);
  out.push_back(ports.check(config.host, config.port, "port"));
  if (config.execute.port != 0) out.push_back(check_execute(config, ports));
  if (!config.unix_socket.empty()) out.push_back(check_unix_socket(config));
}

}  // namespace

std::vector<Finding> check(const Config& config, const Clock& clock) {
  std::vector<Finding> out;
  out.push_back(check_data_folder(config));
  out.push_back(check_tls(config, clock));
  check_listening(config, out);
  out.push_back(check_profiles(config));
  check_store(config, clock, out);
  out.push_back(check_blobs(config, clock));
  return out;
}

// The setting is its key alone, without the file or variable in front of it.
Finding check_failed(const Error& error) {
  Finding found = fault("configuration", "", error);
  const size_t place = found.setting.rfind(": ");
  if (place != std::string::npos) found.setting.erase(0, place + 2);
  return found;
}

namespace {

// Of a full disk of the database, which is no disk of this host.
constexpr const char* kDatabaseFull =
    "free space on the disk of the database's server: its data folder and its write-ahead log "
    "(`pg_wal`, which grows while a replication slot or a failing archive_command holds it); what "
    "was acknowledged is whole";

std::string remedy_of(const Finding& finding) {
  const bool of_database = finding.setting == kDatabaseSetting;
  return of_database && finding.reason == Reason("STORE_FULL")
             ? kDatabaseFull
             : std::string(finding.reason.remedy());
}

}  // namespace

bool all_good(const std::vector<Finding>& findings) {
  return std::ranges::all_of(findings, &Finding::good);
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& each : findings) {
    out += cat(!each.good() ? "FAULT  "
               : each.warns ? "warn   "
                            : "ok     ",
               each.name, ": ", each.details);
    if (each.good()) {
      out += "\n";
      continue;
    }
    out += cat("\n       code ", each.reason.text());
    if (!each.setting.empty()) out += cat("; setting ", each.setting);
    out += cat("\n       remedy: ", remedy_of(each), "\n");
  }
  return out;
}

std::string findings_json(const std::vector<Finding>& findings) {
  wire::Value checks = wire::Value::Array{};
  for (const Finding& each : findings) {
    checks.push_back(wire::Value::Object{{"name", each.name},
                                         {"ok", each.good()},
                                         {"warning", each.warns},
                                         {"setting", each.setting},
                                         {"details", each.details},
                                         {"code", each.reason.str()},
                                         {"remedy", remedy_of(each)}});
  }
  return wire::to_pretty_json(
      wire::Value::Object{{"ok", all_good(findings)}, {"checks", std::move(checks)}});
}

}  // namespace paddock::app
