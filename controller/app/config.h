// Configuration of paddock-controller: one YAML file, then PADDOCK_CONTROLLER_… variables, then
// flags; later ones win. packaging/controller.example.yaml documents every key and equals the
// defaults.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/execute.h"
#include "common/wire/describe.h"
#include "common/wire/settings.h"
#include "common/wire/units.h"
#include "controller/admission/admit.h"
#include "controller/agent_sandboxes/mapping.h"
#include "controller/api/handlers/access/first_tokens.h"
#include "controller/app/bucket_config.h"
#include "controller/nodes/leases.h"
#include "controller/reconciler/settings.h"
#include "controller/volumes/publish.h"

namespace paddock::app {

struct TlsConfig {
  std::string cert_file;
  std::string key_file;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("certFile", &TlsConfig::cert_file, "PEM certificate chain"),
                 field("keyFile", &TlsConfig::key_file, "PEM private key"));
  }
};

struct BlobConfig {
  wire::Quantity max_blob{int64_t{4} << 30};
  wire::Quantity quota{int64_t{64} << 30};
  std::optional<wire::Quantity> namespace_quota;
  wire::Quantity min_free{int64_t{256} << 20};
  wire::Quantity max_tree{int64_t{32} << 30};
  wire::Duration keep_unused{std::chrono::hours(24)};
  BucketConfig s3;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("maxBlob", &BlobConfig::max_blob, "largest file"),
                 field("quota", &BlobConfig::quota, "all files together"),
                 field("namespaceQuota", &BlobConfig::namespace_quota,
                       "all files of one namespace; three quarters of quota unless given"),
                 field("minFree", &BlobConfig::min_free, "bytes that are left free on the disk"),
                 field("maxTree", &BlobConfig::max_tree, "all files of a workspace"),
                 field("keepUnused", &BlobConfig::keep_unused,
                       "how long a file stays that nothing needs any more; 1h or more"),
                 field("s3", &BlobConfig::s3, "a bucket to keep them in"));
  }
};

struct PostgresConfig {
  std::string url_file;
  wire::Duration lease{std::chrono::seconds(3)};
  int64_t max_readers = 8;
  std::string advertised_url;
  std::string shared_dir;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field(
            "urlFile", &PostgresConfig::url_file,
            "file, mode 0600, with the URL of a PostgreSQL database; empty: paddock.db in dataDir"),
        field("lease", &PostgresConfig::lease,
              "without a sign of life for so long another controller may lead; 2s to 5m"),
        field("maxReaders", &PostgresConfig::max_readers,
              "connections for reading, beside the one that writes", {.min = 1, .max = 256}),
        field("advertisedUrl", &PostgresConfig::advertised_url,
              "by which clients reach this controller: standbys tell it to everybody while this "
              "one leads; empty: they tell none",
              {.max_length = 512}),
        field("sharedDir", &PostgresConfig::shared_dir,
              "folder with what its controllers have in common, copied where the data folder lacks "
              "it; empty: copied by hand"));
  }
  void validate(wire::Check& check) const;
};

struct StoreConfig {
  wire::Quantity reserve{int64_t{64} << 20};
  PostgresConfig postgres;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("reserve", &StoreConfig::reserve,
                       "bytes of the store's disk that are kept for deletions, cancels and ends of "
                       "runs once it is full; a 64th of the disk at most; 0: none"),
                 field("postgres", &StoreConfig::postgres, "a database in place of a file"));
  }
};

struct ArtifactConfig {
  std::vector<std::string> compute_types;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("computeTypes", &ArtifactConfig::compute_types,
                       "endings that runs of type compute bring back besides the standard "
                       "ones, such as .pt",
                       {.max_length = 200}));
  }
  void validate(wire::Check& check) const;
};

struct VolumeConfig {
  int64_t keep_versions = volumes::VolumeLimits{}.keep_versions;
  int64_t per_namespace = volumes::VolumeLimits{}.per_namespace;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("keepVersions", &VolumeConfig::keep_versions,
                       "newest versions of a volume that stay", {.min = 1, .max = 1000}),
                 field("maxPerNamespace", &VolumeConfig::per_namespace, "volumes of one namespace",
                       {.min = 0, .max = 100'000}));
  }
};

struct MediaConfig {
  std::string provider_url;
  wire::Duration timeout{std::chrono::seconds(30)};
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("providerUrl", &MediaConfig::provider_url,
              "where the external orchestrator takes media requests; empty: nothing is generated"),
        field("timeout", &MediaConfig::timeout, "how long the provider may take to answer"));
  }
  void validate(wire::Check& check) const;
};

struct NodesConfig {
  wire::Duration lease{nodes::kLease};
  wire::Duration lost_after{nodes::kLostAfter};
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("lease", &NodesConfig::lease, "without a call for so long a node gets nothing new"),
        field("lostAfter", &NodesConfig::lost_after,
              "without a call for so long its runs are given up"));
  }
  void validate(wire::Check& check) const;
};

// POST /execute, and its own port.
struct ExecuteConfig {
  int64_t port = 0;
  std::string host = "127.0.0.1";
  int64_t default_timeout_seconds = contracts::kDefaultTimeoutSeconds;
  int64_t max_memory_mb = contracts::kMaxMemoryMb;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("port", &ExecuteConfig::port, "its own port; 0: none", {.min = 0, .max = 65535}),
        field("host", &ExecuteConfig::host, "address of that port", {.min_length = 1}),
        field("defaultTimeoutSeconds", &ExecuteConfig::default_timeout_seconds,
              "timeout of a request that names none", {.min = 1, .max = 60}),
        field("maxMemoryMb", &ExecuteConfig::max_memory_mb,
              "the most memory that a request may ask for; more is refused",
              {.min = 64, .max = contracts::kMaxMemoryMb}));
  }
};

// Sandboxes of agents.x-k8s.io.
struct SessionsConfig {
  agent_sandboxes::Images images = agent_sandboxes::default_images();
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("images", &SessionsConfig::images,
                       "what a container image means: the profile of the session, by image",
                       {.max_length = 1000}));
  }
};

struct Config {
  std::string data_dir = "/var/lib/paddock/controller";
  std::string host = "127.0.0.1";
  int64_t port = 8443;
  TlsConfig tls;
  bool plain_http = false;
  std::string unix_socket;
  std::vector<std::string> allowed_hosts;
  std::vector<std::string> allowed_origins;
  bool enroll_token = true;
  int64_t max_connections = 4000;
  int64_t max_runs_per_namespace = 0;
  std::string log_level = "info";
  std::string profiles_dir;
  contracts::Ceilings ceilings = admission::default_ceilings();
  StoreConfig store;
  BlobConfig blobs;
  ArtifactConfig artifacts;
  VolumeConfig volumes;
  MediaConfig media;
  bool sandbox_mode = false;
  NodesConfig nodes;
  reconciler::Scheduling scheduling;
  reconciler::Retention retention;
  ExecuteConfig execute;
  SessionsConfig sessions;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("dataDir", &Config::data_dir, "database, files, tokens, TLS",
              {.required = false, .min_length = 1}),
        field("host", &Config::host, "address to listen on", {.min_length = 1}),
        field("port", &Config::port, "0: any free one", {.min = 0, .max = 65535}),
        field("tls", &Config::tls, "a certificate of your own; empty: a generated local CA"),
        field("plainHttpOnLoopback", &Config::plain_http, "no TLS; loopback only"),
        field("unixSocket", &Config::unix_socket, "also listen on this socket file"),
        field("allowedHosts", &Config::allowed_hosts, "further names clients may use",
              {.max_length = 64}),
        field("allowedOrigins", &Config::allowed_origins,
              "pages that may ask and read here: https://app.example", {.max_length = 64}),
        field("enrollToken", &Config::enroll_token,
              "whether tokens/enroll is made, by which any host may join under a free name"),
        field("maxConnections", &Config::max_connections,
              "how many connections there may be at once", {.min = 8, .max = 100'000}),
        field("maxRunsPerNamespace", &Config::max_runs_per_namespace,
              "runs of one namespace on nodes at once; 0: not bounded", {.min = 0}),
        field("logLevel", &Config::log_level, "debug, info, warn or error"),
        field("profilesDir", &Config::profiles_dir,
              "folder of sandbox profiles, NAME.yaml; empty: the built-in ones"),
        field("ceilings", &Config::ceilings, "what runs may ask for at most"),
        field("store", &Config::store, "the database"),
        field("blobs", &Config::blobs, "limits of uploaded files"),
        field("artifacts", &Config::artifacts, "what runs bring back"),
        field("volumes", &Config::volumes, "limits of what runs publish"),
        field("media", &Config::media, "what runs may have generated goes through here"),
        field("sandboxMode", &Config::sandbox_mode,
              "for an external orchestrator: dataDir must be given, media needs a tool token"),
        field("nodes", &Config::nodes, "when a silent node is not counted on any more"),
        field("scheduling", &Config::scheduling, "who may use how much, and who goes first"),
        field("retention", &Config::retention, "when runs that ended are forgotten"),
        field("execute", &Config::execute, "short pieces of code, answered at once"),
        field("sessions", &Config::sessions, "sandbox sessions"));
  }
  void validate(wire::Check& check) const;
};

// Whether the port of POST /execute asks for a token, tokens/execute.
bool wants_execute_token(const Config& config);
api::FirstTokens first_tokens(const Config& config);
// Whether anything is served with a certificate, and whether that is one of the local CA.
bool serves_tls(const Config& config);
bool serves_local_ca(const Config& config);

// Every key, with the variable that overrides it: `PADDOCK_CONTROLLER_BLOBS_MAX_BLOB` for
// `blobs.maxBlob`.
std::map<std::string, std::string> config_variables();

// CONFIG_INVALID with every fault, its place and its key. `environment` is the whole environment; a
// PADDOCK_CONTROLLER_… variable that names no key is an error.
Result<Config> load_config(std::string_view yaml,
                           const std::map<std::string, std::string>& environment,
                           wire::SettingsNames names = {});

}  // namespace paddock::app
