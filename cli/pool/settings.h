// The settings of `paddock pool slurm`: one YAML file. packaging/pool.example.yaml shows every key
// with its default; a test holds it equal to this.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/describe.h"
#include "common/wire/units.h"

namespace paddock::cli {

using wire::field;

// How jobs are asked for.
struct SlurmSettings {
  std::string bin_dir = "/usr/bin";
  std::string partition;
  std::string account;
  std::string qos;
  std::string gres = "gpu";
  std::map<std::string, std::string> options;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("binDir", &SlurmSettings::bin_dir, "where sbatch, squeue and scancel are"),
        field("partition", &SlurmSettings::partition, "empty: Slurm's default",
              {.max_length = 256}),
        field("account", &SlurmSettings::account, "who pays; empty: the user's default",
              {.max_length = 256}),
        field("qos", &SlurmSettings::qos, "quality of service; empty: the default",
              {.max_length = 256}),
        field("gres", &SlurmSettings::gres,
              "what Slurm calls a GPU here, such as gpu or gpu:a100; of runs that ask for any",
              {.min_length = 1, .max_length = 64}),
        field("options", &SlurmSettings::options,
              "further options of sbatch: constraint, exclude, licenses, nice, nodelist, "
              "reservation, switches, tmp, wckey",
              {.max_length = 16}));
  }
};

// The agent on the compute node.
struct PilotSettings {
  std::string program = "/usr/bin/paddock-node-agent";
  std::string server;
  std::string temp_dir = "/tmp";
  wire::Duration walltime{std::chrono::hours(2)};
  wire::Duration idle_exit{std::chrono::minutes(5)};
  std::map<std::string, std::string> labels;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("program", &PilotSettings::program, "paddock-node-agent on the compute nodes"),
        field("server", &PilotSettings::server,
              "URL of the controller as compute nodes reach it; empty: as this program does"),
        field("tempDir", &PilotSettings::temp_dir,
              "folder of the compute nodes' own disk: a pilot's data is below it and goes with it"),
        field("walltime", &PilotSettings::walltime, "of a job; whole minutes, from 3m to 720h"),
        field("idleExit", &PilotSettings::idle_exit,
              "a pilot goes once nothing was to be done for so long"),
        field("labels", &PilotSettings::labels, "of its node, for node selection",
              {.max_length = 32}));
  }
};

// The size of one job: what the run needs that it is submitted for, within these.
struct SizeSettings {
  int64_t min_cpus = 1;
  int64_t max_cpus = 8;
  wire::Quantity min_memory{int64_t{1} << 30};
  wire::Quantity max_memory{int64_t{32} << 30};
  int64_t max_gpus = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(field("minCpus", &SizeSettings::min_cpus, "cores", {.min = 1, .max = 4096}),
                 field("maxCpus", &SizeSettings::max_cpus, "cores", {.min = 1, .max = 4096}),
                 field("minMemory", &SizeSettings::min_memory, "bytes"),
                 field("maxMemory", &SizeSettings::max_memory, "bytes"),
                 field("maxGpus", &SizeSettings::max_gpus,
                       "0: runs that need one are not this pool's", {.min = 0, .max = 64}));
  }
};

struct PoolSettings {
  std::string name;
  std::string server;
  std::string ca_file;
  std::string token_file;
  std::string folder;
  std::vector<std::string> namespaces;
  std::string selector;
  SlurmSettings slurm;
  PilotSettings pilot;
  SizeSettings size;
  int64_t max_pilots = 4;
  int64_t max_queued = 2;
  wire::Duration submit_every{std::chrono::seconds(10)};
  wire::Duration look_every{std::chrono::seconds(10)};
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("name", &PoolSettings::name,
              "of the pool: its jobs and nodes begin with it; a DNS label of at most 32",
              {.required = true}),
        field("server", &PoolSettings::server, "URL of the controller", {.required = true}),
        field("caFile", &PoolSettings::ca_file, "PEM file of the trusted CA; empty: the system's"),
        field("tokenFile", &PoolSettings::token_file,
              "file with a token of scopes runs:read, nodes:read and nodes:write",
              {.required = true}),
        field(
            "folder", &PoolSettings::folder,
            "that this host and the compute nodes share, for this pool alone: tokens, logs, state",
            {.required = true}),
        field("namespaces", &PoolSettings::namespaces, "whose runs it asks for pilots",
              {.required = true, .min_length = 1, .max_length = 64}),
        field("selector", &PoolSettings::selector,
              "labels of these runs, such as team=a,tier!=dev; empty: all", {.max_length = 1024}),
        field("slurm", &PoolSettings::slurm, "how jobs are asked for"),
        field("pilot", &PoolSettings::pilot, "the agent on the compute node"),
        field("size", &PoolSettings::size,
              "of one job: what the run needs that it is submitted for, within these"),
        field("maxPilots", &PoolSettings::max_pilots, "pilots there are at once, queued ones too",
              {.min = 1, .max = 1000}),
        field("maxQueued", &PoolSettings::max_queued, "jobs that have not started",
              {.min = 1, .max = 1000}),
        field("submitEvery", &PoolSettings::submit_every,
              "least time from one submission to the next; 100ms to 24h"),
        field("lookEvery", &PoolSettings::look_every,
              "how often it looks at runs and at Slurm; 100ms to 1h"));
  }
  void validate(wire::Check& check) const;
};

// CONFIG_INVALID, which names the key, with its line in `file` (the text's name) or the variable
// (PADDOCK_POOL_…).
Result<PoolSettings> parse_pool_settings(std::string_view yaml,
                                         const std::map<std::string, std::string>& environment,
                                         const std::string& file = {});

}  // namespace paddock::cli
