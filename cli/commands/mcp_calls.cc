#include "cli/commands/mcp_calls.h"

#include <chrono>

namespace paddock::cli {
namespace {

using wire::Value;

constexpr std::chrono::milliseconds kLookEvery{200};
constexpr std::chrono::hours kLookAgain{1};

// Whether the message may take long: a call of a tool, or several messages as one. The others are
// answered here at once.
bool takes_long(const Value& message) {
  if (message.array() != nullptr) return !message.array()->empty();
  return message.text("method") == "tools/call";
}

// The request that a notification gives up; null if it is none, or of no request.
Value given_up(const Value& message) {
  if (message.text("method") != "notifications/cancelled" || message.find("id") != nullptr)
    return {};
  const Value* id = message.at("params.requestId");
  return id == nullptr ? Value() : *id;
}

}  // namespace

void McpCalls::write(const mcp::Reply& reply) {
  if (!reply.message) return;
  writing_.with([&](bool&) { setup_.write(*reply.message); });
}

void McpCalls::take(const Value& message) {
  if (const Value id = given_up(message); !id.is_null()) return cancel(id);
  if (takes_long(message)) return start(message);
  write(own_->answer(message));
}

void McpCalls::start(const Value& message) {
  const Value* id = message.find("id");
  Job job{id == nullptr ? Value() : *id, message};
  size_t busy = 0;
  const bool fits = state_.with([&](State& state) {
    if (state.waiting.size() >= setup_.waiting) return false;
    state.waiting.push_back(std::move(job));
    busy = state.waiting.size() + state.running.size();
    return true;
  });
  if (!fits) return write(mcp::too_many_calls(message));
  if (busy > threads_.size() && threads_.size() < setup_.at_once)
    threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

void McpCalls::cancel(const Value& id) {
  state_.with([&](State& state) {
    std::erase_if(state.waiting, [&](const Job& job) { return job.id == id; });
    for (Job& job : state.running) {
      if (job.id != id) continue;
      job.canceled = true;
      if (job.answerer != nullptr) job.answerer->give_up();
    }
  });
}

void McpCalls::give_up_all() {
  state_.with([](State& state) {
    state.waiting.clear();
    for (Job& job : state.running) {
      job.canceled = true;
      if (job.answerer != nullptr) job.answerer->give_up();
    }
  });
}

bool McpCalls::answer(Place job, Answerer& answerer) {
  const bool begins = state_.with([&](State&) {
    job->answerer = &answerer;
    return !job->canceled;
  });
  const mcp::Reply reply = begins ? answerer.answer(job->message) : mcp::Reply{};
  const bool canceled = state_.with([&](State& state) {
    const bool was = job->canceled;
    state.running.erase(job);
    return was;
  });
  if (!canceled) write(reply);
  changed_.notify_all();
  return !canceled;
}

std::optional<McpCalls::Place> McpCalls::next() {
  for (;;) {
    bool ended = false;
    const auto place = state_.wait_for(
        changed_, kLookAgain,
        [](const State& state) { return state.ended || !state.waiting.empty(); },
        [&](State& state, bool) -> std::optional<Place> {
          ended = state.ended;
          if (state.waiting.empty()) return std::nullopt;
          state.running.push_front(std::move(state.waiting.front()));
          state.waiting.pop_front();
          return state.running.begin();
        });
    if (place || ended) return place;
  }
}

void McpCalls::work() {
  std::unique_ptr<Answerer> answerer;
  while (const std::optional<Place> place = next()) {
    if (!answerer) answerer = setup_.make();
    if (!answer(*place, *answerer)) answerer.reset();
  }
}

void McpCalls::finish(const std::function<bool()>& gone) {
  const auto idle = [](const State& state) {
    return state.waiting.empty() && state.running.empty();
  };
  const auto whether = [](const State&, bool ready) { return ready; };
  while (!state_.wait_for(changed_, kLookEvery, idle, whether))
    if (gone()) give_up_all();
  state_.with([](State& state) { state.ended = true; });
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace paddock::cli
