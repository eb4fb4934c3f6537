#include "cli/pool/pilot_script.h"

#include <algorithm>

#include "cli/pool/waiting_runs.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

// parse_pool_settings() let no quote through.
std::string quoted(std::string_view text) { return cat("'", text, "'"); }

// A gang's pilots start at once, and not all of their nodes are equally fast: one that is there
// waits at least so long for the others.
constexpr Millis kLeastForOthers = std::chrono::minutes(2);

// For values that the agent reads as YAML.
std::string labels_text(const PoolSettings& settings) {
  wire::Value::Object labels{{kPoolLabel, settings.name}};
  for (const auto& [name, value] : settings.pilot.labels) labels.emplace_back(name, value);
  return wire::to_json(labels);
}

// SLURM_JOB_END_TIME is younger than Slurm 22.05. The token is taken out of the shared folder
// before anything else is done with it, and only ever by this job.
// Another user's links in a shared /tmp lead to nothing: what may be one is opened for reading
// alone.
constexpr const char* kBody = R"SH(
umask 077
unset "${!PADDOCK_@}"
job=${SLURM_JOB_ID:?this is a job of Slurm}
pilot=$job
gpus=${SLURM_JOB_GPUS:-${CUDA_VISIBLE_DEVICES:-none}}
if [ "${1:-}" = member ]; then
  pilot=$job-r$SLURM_PROCID idle=$gang_idle
  gpus=${SLURM_STEP_GPUS:-${CUDA_VISIBLE_DEVICES:-none}}
elif [ "${SLURM_JOB_NUM_NODES:-1}" -gt 1 ]; then
  exec "$bin/srun" --ntasks="$SLURM_JOB_NUM_NODES" --ntasks-per-node=1 --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    --mpi=none --wait=0 --kill-on-bad-exit=0 --label /bin/bash -c "$(<"$0")" pilot member
fi
end=${SLURM_JOB_END_TIME:-}
tries=0
until [[ $end =~ ^[0-9]+$ ]]; do  # slurmctld may be away
  tries=$((tries + 1))
  if [ "$tries" -gt 60 ]; then echo "Slurm does not say when job $job ends" >&2; exit 1; fi
  [ "$tries" -eq 1 ] || sleep 1
  end=$(SLURM_TIME_FORMAT=%s "$bin/squeue" --noheader --jobs="$job" --format=%e)
done
for old in "$temp"/paddock-pilot-*; do  # of a pilot that was killed: nobody holds its lock
  [ ! -L "$old" ] && [ -O "$old" ] && { exec 8<"$old/lock"; } 2>/dev/null && flock --nonblock 8 && rm -rf --one-file-system -- "$old"
done
exec 8<&-
new=$(mktemp -d "$temp/.paddock-pilot-XXXXXXXX") || exit 1
exec 9>"$new/lock" && flock 9 || exit 1
data="$temp/paddock-pilot-${new##*-}"  # locked before it has this name: no other pilot takes it for an old one
mv -T -- "$new" "$data" || exit 1
agent=
finish() { rm -rf --one-file-system -- "$data"; }
trap finish EXIT
trap '[ -n "$agent" ] && kill -TERM "$agent"' TERM INT HUP
tries=0
until mv -- "$folder/$pilot.token" "$data/token" 2>/dev/null; do
  tries=$((tries + 1))
  if [ "$tries" -gt 600 ]; then echo "no token came for pilot $pilot" >&2; exit 1; fi
  sleep 0.5
done
export PADDOCK_NODE_AGENT_SERVER="$server" PADDOCK_NODE_AGENT_NAME="$pool-$pilot"
[ -e "$folder/ca.pem" ] && export PADDOCK_NODE_AGENT_CA_FILE="$folder/ca.pem"
export PADDOCK_NODE_AGENT_DATA_DIR="$data/agent" PADDOCK_NODE_AGENT_ENROLL_TOKEN_FILE="$data/token"
export PADDOCK_NODE_AGENT_ENDS_AT="$(date -u +%FT%TZ -d "@$((end - before))")"
export PADDOCK_NODE_AGENT_IDLE_EXIT="$idle" PADDOCK_NODE_AGENT_LABELS="$labels"
export PADDOCK_NODE_AGENT_MAX_CPU="${SLURM_CPUS_ON_NODE:-1}"
[ -n "${SLURM_MEM_PER_NODE:-}" ] && export PADDOCK_NODE_AGENT_MAX_MEMORY="${SLURM_MEM_PER_NODE}Mi"
export PADDOCK_NODE_AGENT_VISIBLE_GPUS="\"$gpus\""
"$program" &
agent=$!
while :; do
  wait "$agent"
  status=$?
  kill -0 "$agent" 2>/dev/null && continue
  # The pool may have been away all the time that its node was there.
  [ "$status" -ne 0 ] || [ -s "$folder/$pilot.given" ] || echo joined >"$folder/$pilot.given"
  exit "$status"
done
)SH";

void add_option(std::vector<std::string>& words, const char* name, const std::string& value) {
  if (!value.empty()) words.push_back(cat("--", name, "=", value));
}

}  // namespace

std::string token_file(const std::string& folder, const std::string& pilot) {
  return os::join_path(folder, pilot + ".token");
}
std::string ca_file(const std::string& folder) { return os::join_path(folder, "ca.pem"); }
std::string logs_folder(const std::string& folder) { return os::join_path(folder, "logs"); }

std::vector<std::string> sbatch_words(const PoolSettings& settings, const std::string& key,
                                      const PilotSize& size) {
  const int64_t minutes =
      std::chrono::duration_cast<std::chrono::minutes>(settings.pilot.walltime.value).count();
  std::vector<std::string> words = {"--parsable",
                                    cat("--job-name=", job_name(settings.name, key, size)),
                                    cat("--nodes=", size.nodes),
                                    cat("--ntasks=", size.nodes),
                                    "--ntasks-per-node=1",
                                    cat("--cpus-per-task=", size.cpus),
                                    cat("--mem=", size.memory_mib, "M"),
                                    cat("--time=", minutes),
                                    "--no-requeue",
                                    "--export=NIL",
                                    "--chdir=/",
                                    "--input=/dev/null",
                                    cat("--output=", logs_folder(settings.folder), "/%j.log"),
                                    "--open-mode=truncate"};
  if (size.gpus > 0) words.push_back(cat("--gres=", settings.slurm.gres, ":", size.gpus));
  add_option(words, "partition", settings.slurm.partition);
  add_option(words, "account", settings.slurm.account);
  add_option(words, "qos", settings.slurm.qos);
  for (const auto& [name, value] : settings.slurm.options) add_option(words, name.c_str(), value);
  return words;
}

std::string pilot_script(const PoolSettings& settings) {
  const PilotSettings& pilot = settings.pilot;
  const std::pair<const char*, std::string> values[] = {
      {"pool", settings.name},
      {"folder", settings.folder},
      {"bin", settings.slurm.bin_dir},
      {"temp", pilot.temp_dir},
      {"program", pilot.program},
      {"server", pilot.server.empty() ? settings.server : pilot.server},
      {"idle", format_duration(pilot.idle_exit.value)},
      {"gang_idle", format_duration(std::max(pilot.idle_exit.value, kLeastForOthers))},
      {"labels", labels_text(settings)},
      {"before", cat(std::chrono::duration_cast<std::chrono::seconds>(kBeforeEnd).count())}};
  std::string text = "#!/bin/bash\n# A pilot of Paddock's pool; it holds no secret.\n";
  text += "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n";
  for (const auto& [name, value] : values) text += cat(name, "=", quoted(value), "\n");
  return text + kBody;
}

}  // namespace paddock::cli
