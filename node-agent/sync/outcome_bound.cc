#include "node-agent/sync/outcome_bound.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"
#include "common/wire/describe.h"

namespace paddock::sync {
namespace {

using contracts::Denial;
using contracts::RunOutcome;

constexpr size_t kRoomForMarks = size_t{16} << 10;  // of what says that something is missing
constexpr size_t kMostKinds = 32;
constexpr size_t kMostText = size_t{4} << 10;

// Takes the last entries away that are `bytes` of JSON together, and returns them.
template <class Entry>
std::vector<Entry> take_last(std::vector<Entry>& list, size_t bytes) {
  auto from = list.end();
  for (size_t taken = 0; from != list.begin() && taken < bytes;)
    taken += wire::encode_json(*--from).size() + 1;
  std::vector<Entry> out(std::make_move_iterator(from), std::make_move_iterator(list.end()));
  list.erase(from, list.end());
  return out;
}

void cut_left_out(RunOutcome& outcome, size_t excess) {
  const size_t taken = take_last(outcome.left_out, excess).size();
  if (taken == 0) return;
  outcome.left_out.push_back(
      {"…", cat("and ", taken, " entries of this list, which was too long to be sent"),
       Reason("MORE_LEFT_OUT")});
}

// As the sandbox's own list ends, of what is beyond its bound: by kind.
void count_others(std::vector<Denial>& others, const Denial& denial) {
  const auto same = std::ranges::find_if(others, [&](const Denial& each) {
    return each.what == denial.what && each.command_id == denial.command_id;
  });
  if (same != others.end()) {
    same->count += denial.count;
  } else if (others.size() < kMostKinds) {
    others.push_back({.what = denial.what,
                      .target = std::string(contracts::kOtherTargets),
                      .executable = {},
                      .rule = "the list was too long to be sent",
                      .remedy = {},
                      .count = denial.count,
                      .command_id = denial.command_id});
  }
}

void cut_denials(RunOutcome& outcome, size_t excess) {
  if (!outcome.result) return;
  std::vector<Denial> others;
  for (const Denial& each : take_last(outcome.result->denials, excess)) count_others(others, each);
  std::ranges::move(others, std::back_inserter(outcome.result->denials));
}

void leave_out_output(RunOutcome& outcome, size_t) {
  if (!outcome.result) return;
  auto& [out, err] = outcome.result->truncated;
  out |= !std::exchange(outcome.result->out, {}).empty();
  err |= !std::exchange(outcome.result->err, {}).empty();
}

// The run's own object has it.
void leave_out_request(RunOutcome& outcome, size_t) {
  if (!outcome.result) return;
  outcome.result->cmd.clear();
  outcome.result->policy.reset();
  for (auto& [name, each] : outcome.result->enforced) each.requested = {};
}

void cut_text(std::string& text) {
  if (text.size() <= kMostText) return;
  text.resize(utf8_prefix(std::string_view(text).substr(0, kMostText)));
  text += "…";
}

void leave_out_rest(RunOutcome& outcome, size_t) {
  cut_text(outcome.message);
  if (!outcome.result) return;
  cut_text(outcome.result->reason);
  outcome.result->enforced.clear();
  outcome.result->usage.network.clear();
}

}  // namespace

BoundedOutcome cut_to(size_t most_bytes, RunOutcome outcome) {
  size_t bytes = wire::encode_json(outcome).size();
  for (const auto cut :
       {cut_left_out, cut_denials, leave_out_output, leave_out_request, leave_out_rest}) {
    if (bytes <= most_bytes) break;
    cut(outcome, bytes - most_bytes + kRoomForMarks);
    bytes = wire::encode_json(outcome).size();
  }
  return {std::move(outcome), bytes};
}

}  // namespace paddock::sync
