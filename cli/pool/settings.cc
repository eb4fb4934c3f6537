#include "cli/pool/settings.h"

#include <algorithm>
#include <array>

#include "common/base/control_text.h"
#include "common/base/text.h"
#include "common/contracts/names.h"
#include "common/wire/settings.h"

namespace paddock::cli {
namespace {

constexpr size_t kLongestName = 32;  // with a job's id it is a node's name
constexpr std::array<std::string_view, 9> kOptions = {"constraint", "exclude",  "licenses",
                                                      "nice",       "nodelist", "reservation",
                                                      "switches",   "tmp",      "wckey"};

// Whether it has only characters that Slurm uses in such values. It is one argument of sbatch; no
// shell reads it.
bool is_slurm_value(std::string_view text) {
  return !text.empty() && text.size() <= 256 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.:,=+@/&|*()[]").find(c) != std::string_view::npos;
  });
}

// It stands between single quotes in the pilot's script.
bool is_plain(std::string_view text) {
  return text.find('\'') == std::string_view::npos && !has_control(text);
}

void check_slurm(const SlurmSettings& slurm, wire::Check& check) {
  const std::pair<const char*, const std::string*> values[] = {
      {"slurm.partition", &slurm.partition},
      {"slurm.account", &slurm.account},
      {"slurm.qos", &slurm.qos},
      {"slurm.gres", &slurm.gres}};
  for (const auto& [key, value] : values) {
    if (!value->empty() && !is_slurm_value(*value))
      check.fail(key, "has characters that no such name has");
  }
  for (const auto& [name, value] : slurm.options) {
    if (std::ranges::find(kOptions, name) == kOptions.end())
      check.fail(cat("slurm.options.", name),
                 cat("must be one of ", join({kOptions.begin(), kOptions.end()}, ", ")));
    if (!is_slurm_value(value))
      check.fail(cat("slurm.options.", name), "has characters that no such value has, or none");
  }
}

void check_pilot(const PilotSettings& pilot, wire::Check& check) {
  const Millis walltime = pilot.walltime.value;
  if (walltime < std::chrono::minutes(3) || walltime > std::chrono::hours(720) ||
      walltime % std::chrono::minutes(1) != Millis(0))
    check.fail("pilot.walltime", "must be whole minutes, from 3m to 720h");
  for (const auto& [name, value] : pilot.labels) {
    if (!is_plain(name) || !is_plain(value))
      check.fail(cat("pilot.labels.", name), "must have no quote and no control character");
  }
}

void check_size(const SizeSettings& size, wire::Check& check) {
  constexpr int64_t kLeast = int64_t{64} << 20;
  constexpr int64_t kMost = int64_t{1} << 50;
  if (size.min_cpus > size.max_cpus) check.fail("size.minCpus", "must be at most maxCpus");
  if (size.min_memory.bytes < kLeast) check.fail("size.minMemory", "must be at least 64Mi");
  if (size.max_memory.bytes > kMost) check.fail("size.maxMemory", "must be at most 1024Ti");
  if (size.min_memory.bytes > size.max_memory.bytes)
    check.fail("size.minMemory", "must be at most maxMemory");
}

void check_times(const PoolSettings& settings, wire::Check& check) {
  const auto within = [](const wire::Duration& time, Millis most) {
    return time.value >= Millis(100) && time.value <= most;
  };
  if (!within(settings.submit_every, std::chrono::hours(24)))
    check.fail("submitEvery", "must be from 100ms to 24h");
  if (!within(settings.look_every, std::chrono::hours(1)))
    check.fail("lookEvery", "must be from 100ms to 1h");
}

bool is_url(const std::string& text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

}  // namespace

void PoolSettings::validate(wire::Check& check) const {
  if (!contracts::is_dns_label(name) || name.size() > kLongestName)
    check.fail("name", "must be a DNS label of at most 32 characters");
  if (!is_url(server)) check.fail("server", "must start with https:// (or http:// on loopback)");
  if (!pilot.server.empty() && !is_url(pilot.server))
    check.fail("pilot.server", "must start with https:// (or http:// on loopback)");
  const std::pair<const char*, const std::string*> paths[] = {{"tokenFile", &token_file},
                                                              {"folder", &folder},
                                                              {"slurm.binDir", &slurm.bin_dir},
                                                              {"pilot.program", &pilot.program},
                                                              {"pilot.tempDir", &pilot.temp_dir}};
  for (const auto& [key, value] : paths) {
    if (!value->starts_with('/') || !is_plain(*value))
      check.fail(key, "must be an absolute path without quotes and control characters");
  }
  // sbatch replaces these in the name of a job's output.
  if (folder.find_first_of("%\\") != std::string::npos)
    check.fail("folder", "must have no % and no backslash");
  for (const std::string* url : {&server, &pilot.server}) {
    if (!is_plain(*url))
      check.fail(url == &server ? "server" : "pilot.server", "must have no quote");
  }
  for (size_t i = 0; i < namespaces.size(); ++i) {
    if (!contracts::is_dns_label(namespaces[i]))
      check.fail(cat("namespaces[", i, "]"), "must be a DNS label");
  }
  if (max_queued > max_pilots) check.fail("maxQueued", "must be at most maxPilots");
  check_slurm(slurm, check);
  check_pilot(pilot, check);
  check_size(size, check);
  check_times(*this, check);
}

Result<PoolSettings> parse_pool_settings(std::string_view yaml,
                                         const std::map<std::string, std::string>& environment,
                                         const std::string& file) {
  const wire::SettingsSource source(yaml, environment, "PADDOCK_POOL_",
                                    wire::schema<PoolSettings>(), {.file = file});
  ASSIGN_OR_RETURN(const wire::Value document, source.read());
  return source.decoded<PoolSettings>(document);
}

}  // namespace paddock::cli
