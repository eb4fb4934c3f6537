#include "cli/pool/pilots.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kPrefix = "paddock-";
constexpr size_t kLongestLine = 1024;
constexpr int64_t kMostNodes = 1000;  // as maxPilots
constexpr std::string_view kRank = "-r";

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// `8c` with the unit `c`.
std::optional<int64_t> amount(std::string_view text, char unit) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(1);
  if (!is_number(text) || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return parse_integer<int64_t>(text);
}

bool is_key(std::string_view text) {
  return text.size() >= 4 && text.size() <= 16 && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

PilotState state_of(std::string_view word) {
  constexpr std::array<std::string_view, 3> kQueued = {"PENDING", "REQUEUED", "REQUEUE_HOLD"};
  constexpr std::array<std::string_view, 2> kRunning = {"RUNNING", "CONFIGURING"};
  if (std::ranges::find(kQueued, word) != kQueued.end()) return PilotState::kQueued;
  if (std::ranges::find(kRunning, word) != kRunning.end()) return PilotState::kRunning;
  return PilotState::kEnding;
}

// The five fields of a line; the last one is as it is.
std::optional<std::array<std::string_view, 5>> fields_of(std::string_view line) {
  std::array<std::string_view, 5> fields;
  for (size_t i = 0; i + 1 < fields.size(); ++i) {
    const size_t end = line.find('|');
    if (end == std::string_view::npos) return std::nullopt;
    fields[i] = line.substr(0, end);
    line.remove_prefix(end + 1);
  }
  fields.back() = line;
  return fields;
}

std::string plain_word(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 128)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace

std::string job_name(std::string_view pool, std::string_view key, const PilotSize& size) {
  return cat(kPrefix, pool, "-", key, "-", size.cpus, "c-", size.memory_mib, "m-", size.gpus, "g",
             size.nodes > 1 ? cat("-", size.nodes, "n") : "");
}

std::optional<JobName> parse_job_name(std::string_view pool, std::string_view name) {
  const std::string prefix = cat(kPrefix, pool, "-");
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::vector<std::string> parts = split(name.substr(prefix.size()), '-');
  const bool several = parts.size() == 5;
  if ((parts.size() != 4 && !several) || !is_key(parts[0])) return std::nullopt;
  const auto cpus = amount(parts[1], 'c');
  const auto memory = amount(parts[2], 'm');
  const auto gpus = amount(parts[3], 'g');
  const auto nodes = several ? amount(parts[4], 'n') : 1;
  if (!cpus || !memory || !gpus || !nodes || *nodes > kMostNodes || (several && *nodes < 2))
    return std::nullopt;
  return JobName{parts[0], {*cpus, *memory, *gpus, *nodes}};
}

std::vector<std::string> pilots_of(const Pilot& job) {
  if (job.size.nodes == 1) return {job.job};
  std::vector<std::string> out;
  for (int64_t rank = 0; rank < job.size.nodes; ++rank) out.push_back(cat(job.job, kRank, rank));
  return out;
}

std::string node_of(std::string_view pool, std::string_view pilot) { return cat(pool, "-", pilot); }

std::string pilot_of(std::string_view pool, std::string_view node) {
  const std::string prefix = cat(pool, "-");
  if (!node.starts_with(prefix)) return "";
  const std::string_view pilot = node.substr(prefix.size());
  const size_t rank = pilot.find(kRank);
  const bool alone = rank == std::string_view::npos;
  const bool known =
      is_number(pilot.substr(0, rank)) && (alone || is_number(pilot.substr(rank + kRank.size())));
  return known ? std::string(pilot) : "";
}

std::string job_of(std::string_view pilot) {
  return std::string(pilot.substr(0, pilot.find(kRank)));
}

Queue parse_queue(std::string_view pool, std::string_view text) {
  Queue queue;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto fields = line.size() <= kLongestLine ? fields_of(line) : std::nullopt;
    if (!fields) {
      ++queue.odd;
      continue;
    }
    const auto& [job, state, started, name, reason] = *fields;
    const auto parsed = parse_job_name(pool, name);
    if (!parsed) continue;  // another's, by its name
    if (!is_number(job)) {
      ++queue.odd;
      continue;
    }
    Pilot pilot{std::string(job), std::string(name),  parsed->key, parsed->size,
                state_of(state),  plain_word(reason), std::nullopt};
    if (is_number(started) && pilot.state != PilotState::kQueued)
      pilot.started = WallTime{parse_integer<int64_t>(started).value_or(0) * 1000};
    queue.pilots.push_back(std::move(pilot));
  }
  return queue;
}

std::optional<std::string> parse_submitted(std::string_view text) {
  std::string_view job = trim(text);
  job = job.substr(0, job.find(';'));  // of several clusters it names the one
  if (!is_number(job)) return std::nullopt;
  return std::string(job);
}

// What follows is Slurm's text of the error's number; those of the way to slurmctld and back leave
// it open what became of the job.
bool is_refusal(std::string_view text) {
  constexpr std::string_view kFailed = "Batch job submission failed: ";
  constexpr std::array<std::string_view, 8> kOfTheWay = {
      "timed out",      "failure",   "transmitted", "received",
      "authentication", "onnection", "roken pipe",  "temporarily"};
  const size_t at = text.rfind(kFailed);
  if (at == std::string_view::npos) return false;
  const std::string_view why = text.substr(at + kFailed.size());
  return !why.empty() && std::ranges::none_of(kOfTheWay, [&](std::string_view word) {
    return why.find(word) != std::string_view::npos;
  });
}

}  // namespace paddock::cli
