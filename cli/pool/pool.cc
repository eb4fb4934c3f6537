#include "cli/pool/pool.h"

#include <algorithm>
#include <iterator>

#include "cli/client/list_items.h"
#include "cli/pool/pilot_script.h"
#include "common/base/log.h"
#include "common/base/one_line.h"
#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/enrollment.h"
#include "common/contracts/node.h"
#include "common/contracts/pool_report.h"

namespace paddock::cli {
namespace {

// A submission that Slurm does not list for so long was none.
constexpr Millis kDoubt = std::chrono::seconds(60);
constexpr Millis kTokenLife = std::chrono::minutes(15);
// A size that Slurm refused is asked for again after that, then twice that, up to the longest.
constexpr Millis kFirstPause = std::chrono::minutes(1);
constexpr Millis kLongestPause = std::chrono::minutes(16);
constexpr size_t kKeyLength = 8;
constexpr size_t kKeptLogs = 100;
constexpr size_t kMostNoted = 400;
constexpr size_t kMostToldAtOnce = 100;
constexpr size_t kMostWords = 500;

// It was placed meanwhile, is gone, or has heard of too many pools: others are told all the same.
bool is_of_the_run(const Error& error) {
  return error.code == Code::kNotFound || error.code == Code::kFailedPrecondition ||
         error.code == Code::kInvalidArgument;
}

bool is_ready(const wire::Value& node) {
  const wire::Value* ready = node.at("status.ready");
  return ready != nullptr && ready->boolean() != nullptr && *ready->boolean();
}

const char* word_for(const Pilot& job, const std::string& pilot, const PoolState& state) {
  if (job.state == PilotState::kQueued) return "queued";
  if (job.state == PilotState::kEnding) return "ending";
  if (state.left.contains(pilot)) return "left";
  return state.joined.contains(pilot) ? "joined" : "starting";
}

wire::Value pilot_value(const Pilot& job, const std::string& node, const char* state) {
  return wire::Value::Object{{"job", job.job},        {"node", node},
                             {"state", state},        {"reason", job.why},
                             {"cpus", job.size.cpus}, {"memoryMi", job.size.memory_mib},
                             {"gpus", job.size.gpus}};
}

}  // namespace

Result<Pool::Runs> Pool::waiting_runs() {
  std::vector<contracts::Run> all;
  const auto take_page = [&](wire::Value& page) -> Status {
    for (const wire::Value& item : items_of(page)) {
      ASSIGN_OR_RETURN(contracts::Run run, wire::decode<contracts::Run>(item));
      if (waiting_run(run, dependencies_.clock.wall())) all.push_back(std::move(run));
    }
    return {};
  };
  for (const std::string& space : settings_.namespaces) {
    std::string target =
        cat(contracts::paths::collection(space, "runs"), "?fieldSelector=status.phase%3DPending");
    if (!settings_.selector.empty())
      target += cat("&labelSelector=", percent_encode(settings_.selector));
    TRY(dependencies_.client.list(target, client::ListForm::kObjects, take_page));
  }
  sort_as_queued(all);
  Runs runs;
  for (const contracts::Run& run : all) {
    WaitingRun waiting = *waiting_run(run, dependencies_.clock.wall());
    std::string why = never_fits(run, settings_);
    if (why.empty()) {
      runs.waiting.push_back(std::move(waiting));
    } else {
      runs.never.emplace_back(std::move(waiting), std::move(why));
    }
  }
  return runs;
}

Result<std::map<std::string, PilotSize>> Pool::settle_intents(const Queue& queue) {
  std::map<std::string, PilotSize> in_doubt;
  ASSIGN_OR_RETURN(const auto intents, folder_.intents());
  for (const auto& [key, intent] : intents) {
    const bool listed = std::ranges::find(queue.pilots, key, &Pilot::key) != queue.pilots.end();
    const Millis age = dependencies_.clock.wall() - intent.at;
    if (listed || age >= kDoubt) {
      TRY(folder_.drop_intent(key));
      continue;
    }
    if (age < Millis(0)) TRY(folder_.put_intent(key, {intent.size, dependencies_.clock.wall()}));
    in_doubt.emplace(key, intent.size);
  }
  return in_doubt;
}

Result<std::set<std::string>> Pool::nodes_there(const Queue& queue) {
  std::set<std::string> here;
  std::vector<std::string> gone;
  const auto take_page = [&](wire::Value& page) -> Status {
    for (const wire::Value& item : items_of(page)) {
      const std::string node = item.text("metadata.name");
      const std::string pilot = pilot_of(settings_.name, node);
      if (pilot.empty()) continue;
      const bool listed =
          std::ranges::find(queue.pilots, job_of(pilot), &Pilot::job) != queue.pilots.end();
      if (listed) here.insert(pilot);
      if (!listed && !is_ready(item)) gone.push_back(node);
    }
    return {};
  };
  TRY(dependencies_.client.list(cat(contracts::paths::collection("", "nodes"), "?labelSelector=",
                                    percent_encode(cat(kPoolLabel, "=", settings_.name))),
                                client::ListForm::kObjects, take_page));
  for (const std::string& node : gone) {
    const auto removed =
        dependencies_.client.send("DELETE", contracts::paths::node(node), wire::Value());
    if (!removed.ok() && removed.error().code != Code::kNotFound) return removed.error();
    log_info("the node of a job that is gone was removed", {{"node", node}});
  }
  return here;
}

Result<std::set<std::string>> Pool::ever_joined(const std::set<std::string>& here) const {
  ASSIGN_OR_RETURN(std::set<std::string> joined, folder_.joined());
  for (const std::string& pilot : here) {
    if (joined.insert(pilot).second) TRY(folder_.put_joined(pilot));
  }
  return joined;
}

std::set<std::string> Pool::settled(const std::set<std::string>& joined,
                                    const std::set<std::string>& left) {
  std::erase_if(joined_since_, [&](const auto& each) { return !joined.contains(each.first); });
  std::set<std::string> out;
  for (const std::string& pilot : joined) {
    const MonoTime since = joined_since_.emplace(pilot, dependencies_.clock.mono()).first->second;
    if (left.contains(pilot) || dependencies_.clock.mono() - since >= kSettling) out.insert(pilot);
  }
  return out;
}

Status Pool::give_tokens(const Queue& queue, const std::set<std::string>& joined) {
  std::set<std::string> listed;
  for (const Pilot& job : queue.pilots) {
    for (const std::string& pilot : pilots_of(job)) {
      listed.insert(pilot);
      const bool waits = job.state == PilotState::kRunning && !joined.contains(pilot);
      if (waits && !folder_.was_given(pilot)) TRY(give_token(job.job, pilot));
    }
  }
  return folder_.drop_tokens_but(listed);
}

Status Pool::give_token(const std::string& job, const std::string& pilot) {
  contracts::EnrollTokenRequest request;
  request.ttl = wire::Duration{kTokenLife};
  const std::string node = node_of(settings_.name, pilot);
  ASSIGN_OR_RETURN(
      const wire::Value answer,
      dependencies_.client.send("POST", cat(contracts::paths::node(node), "/enroll-token"),
                                wire::encode(request)));
  TRY(folder_.put_token(pilot, answer.text("token")));
  log_info("a pilot was given its token", {{"job", job}, {"node", node}});
  return {};
}

// Intent before effect: whoever is killed in between is found out by settle_intents().
Status Pool::submit(const PilotSize& size) {
  const std::string key = make_suffix(dependencies_.random, kKeyLength);
  TRY(folder_.put_intent(key, {size, dependencies_.clock.wall()}));
  const Result<Submitted> done = slurm_.submit(key, size);
  last_submission_ = dependencies_.clock.mono();
  refused_ = done.ok() ? "" : done.error().message;
  if (!done.ok()) {
    log_warn("no pilot was submitted", {{"error", done.error().describe()}});
    return {};
  }
  if (!done->refused.empty()) {
    log_warn("Slurm refused a pilot", {{"error", done->refused}});
    hold_back(size, done->refused);
    return folder_.drop_intent(key);
  }
  std::erase_if(held_back_, [&](const HeldBack& each) { return each.refusal.size == size; });
  log_info("a pilot was submitted",
           {{"job", done->job}, {"name", job_name(settings_.name, key, size)}});
  return {};
}

void Pool::hold_back(const PilotSize& size, const std::string& why) {
  const MonoTime now = dependencies_.clock.mono();
  std::erase_if(held_back_, [&](const HeldBack& each) { return now - each.until > kLongestPause; });
  for (HeldBack& each : held_back_) {
    if (each.refusal.size != size) continue;
    each.pause = std::min(2 * each.pause, kLongestPause);
    each.refusal.why = why;
    each.until = now + each.pause;
    return;
  }
  held_back_.push_back({{size, why}, kFirstPause, now + kFirstPause});
}

std::vector<Refusal> Pool::held_back() const {
  const MonoTime now = dependencies_.clock.mono();
  std::vector<Refusal> out;
  for (const HeldBack& each : held_back_) {
    if (now < each.until) out.push_back(each.refusal);
  }
  return out;
}

Status Pool::act(const PoolPlan& plan) {
  for (const Pilot& pilot : plan.cancel) {
    const Status canceled = slurm_.cancel(pilot);
    if (canceled.ok()) {
      log_info("a pilot that is not needed was canceled", {{"job", pilot.job}});
    } else {  // it may have ended by itself; if not, the next look finds it again
      log_warn("a pilot was not canceled",
               {{"job", pilot.job}, {"error", canceled.error().describe()}});
    }
  }
  return plan.submit ? submit(*plan.submit) : Status();
}

std::vector<Pool::RunNote> Pool::words(const Runs& runs, const PoolPlan& plan) const {
  std::vector<RunNote> out;
  const auto refused = std::ranges::find_if(
      held_back_, [&](const HeldBack& each) { return plan.submit == each.refusal.size; });
  for (const WaitingRun& run : runs.waiting) {
    const auto coming = plan.coming.find(run.uid);
    const auto held = plan.held.find(run.uid);
    RunNote told{run, false, ""};
    if (!refused_.empty()) {
      told.why = refused_;
    } else if (coming != plan.coming.end() && coming->second == kBeingSubmitted &&
               refused != held_back_.end()) {
      told.why = refused->refusal.why;
    } else if (coming != plan.coming.end()) {
      told.coming = true;
      told.why = coming->second;
    } else if (held != plan.held.end()) {
      told.why = held->second;
    }
    out.push_back(std::move(told));
  }
  for (const auto& [run, why] : runs.never) out.push_back({run, false, why});
  return out;
}

Status Pool::note(const PoolState& state, const std::vector<RunNote>& told) const {
  wire::Value::Array pilots;
  for (const Pilot& job : state.pilots) {
    for (const std::string& pilot : pilots_of(job))
      pilots.push_back(
          pilot_value(job, node_of(settings_.name, pilot), word_for(job, pilot, state)));
  }
  wire::Value::Object waiting;
  for (const RunNote& each : told) {
    if (waiting.size() >= kMostNoted) break;
    waiting.emplace_back(cat(each.run.name_space, "/", each.run.name), each.why);
  }
  return folder_.put_state(wire::Value::Object{{"pool", settings_.name},
                                               {"at", format_time(dependencies_.clock.wall())},
                                               {"pilots", std::move(pilots)},
                                               {"waiting", std::move(waiting)},
                                               {"refused", refused_}});
}

// Each run hears what is new to it; of many that wait, some at each look.
Status Pool::tell(const std::vector<RunNote>& all) {
  std::map<std::string, std::string> known;
  size_t sent = 0;
  for (const RunNote& each : all) {
    const auto before = told_.find(each.run.uid);
    const bool is_new = before == told_.end() || before->second != each.why;
    if (before != told_.end()) known.insert(*before);
    if (!is_new || sent >= kMostToldAtOnce) continue;
    ++sent;
    // Some of it may be a caller's, such as a label of a run.
    const contracts::PoolReport report{each.coming, one_line(each.why, kMostWords)};
    const auto answer = dependencies_.client.send(
        "PUT",
        cat(contracts::paths::object(each.run.name_space, "runs", each.run.name), "/pools/",
            settings_.name),
        wire::encode(report));
    if (answer.ok()) known[each.run.uid] = each.why;
    if (!answer.ok() && !is_of_the_run(answer.error())) return answer.error();
  }
  told_ = std::move(known);
  return {};
}

Status Pool::look() {
  ASSIGN_OR_RETURN(const Queue queue, slurm_.queue());
  if (queue.odd > 0)
    log_warn("squeue printed lines that are not its own", {{"lines", cat(queue.odd)}});
  ASSIGN_OR_RETURN(auto in_doubt, settle_intents(queue));
  // A program that was killed may have submitted a moment ago.
  if (!looked_ && (!queue.pilots.empty() || !in_doubt.empty()))
    last_submission_ = dependencies_.clock.mono();
  looked_ = true;
  ASSIGN_OR_RETURN(const std::set<std::string> here, nodes_there(queue));
  TRY(give_tokens(queue, here));
  ASSIGN_OR_RETURN(const std::set<std::string> joined, ever_joined(here));
  std::set<std::string> left;
  std::ranges::set_difference(joined, here, std::inserter(left, left.end()));
  ASSIGN_OR_RETURN(const Runs runs, waiting_runs());
  const PoolState state{runs.waiting,     queue.pilots,
                        joined,           settled(joined, left),
                        std::move(left),  std::move(in_doubt),
                        held_back(),      dependencies_.clock.wall(),
                        last_submission_, dependencies_.clock.mono()};
  const PoolPlan plan = plan_pool(state, settings_);
  TRY(act(plan));
  TRY(folder_.prune_logs(kKeptLogs));
  const std::vector<RunNote> told = words(runs, plan);
  TRY(note(state, told));
  return tell(told);
}

}  // namespace paddock::cli
