// Calls over a way that loses, repeats and delays what is sent, by seeds.
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "controller/calls/call_table.h"

namespace paddock::calls {
namespace {

using contracts::CallAnswer;
using contracts::CallsAnswer;
using contracts::CallsRequest;

// A node whose requests and answers are lost, repeated and late. Whatever happens to them, no call
// is done twice, every caller hears one outcome, and what it hears is true.
class Unreliable {
 public:
  explicit Unreliable(uint64_t seed) : random_(seed) {}

  void play() {
    for (step_ = 0; step_ < 2'000; ++step_) {
      now_ = now_ + Millis(static_cast<int64_t>(next() % 40));
      switch (next() % 6) {
        case 0:
          caller_asks();
          break;
        case 1:
          caller_leaves();
          break;
        case 2:
          agent_restarts();
          break;
        default:
          lane_turns(static_cast<int64_t>(next() % kLanes));
      }
      callers_look();
    }
  }
  size_t heard_ = 0;

 private:
  static constexpr int64_t kLanes = 3;
  struct Lane {
    std::optional<CallAnswer> answer;
    std::optional<CallsRequest> late;  // a copy of a request that comes again
    LaneKey late_key;
  };
  uint64_t next() {
    std::array<uint8_t, 8> bytes{};
    random_.fill(bytes);
    uint64_t out = 0;
    for (const uint8_t byte : bytes) out = out << 8 | byte;
    return out;
  }
  bool chance(uint64_t percent) { return next() % 100 < percent; }
  LaneKey key(int64_t number) const { return {"node", cat("process-", process_), number}; }

  void caller_asks() {
    const CallId id = cat("call-", ++made_);
    Wakes wakes;
    if (table_.submit(id, {"snippet", id, 1}, now_, wakes).ok()) waiting_.insert(id);
  }
  void caller_leaves() {
    if (waiting_.empty() || chance(70)) return;
    Wakes wakes;
    table_.cancel(*waiting_.begin(), wakes);
    waiting_.erase(waiting_.begin());
  }
  void agent_restarts() {
    if (!chance(5)) return;
    ++process_;
    for (Lane& lane : lanes_) lane.answer.reset();  // whatever it did is forgotten with it
  }
  void lane_turns(int64_t number) {
    Lane& lane = lanes_[static_cast<size_t>(number)];
    if (lane.late && chance(30)) send(lane.late_key, *lane.late);  // nobody reads what comes back
    CallsRequest request;
    request.process = key(number).process;
    request.generation = process_;
    request.lane = number;
    request.answer = lane.answer;
    if (chance(10)) return;  // lost on its way there: the lane says it again
    if (chance(20)) {
      lane.late = request;
      lane.late_key = key(number);
    }
    const auto told = send(key(number), request);
    if (chance(10)) return;  // the answer is lost: again
    if (!told) return;
    lane.answer.reset();
    if (told->call) lane.answer = work(*told->call);
  }
  std::optional<CallsAnswer> send(const LaneKey& lane, const CallsRequest& request) {
    Wakes wakes;
    if (!table_.open(lane, request, wakes).ok()) return std::nullopt;
    table_.set_eligible(lane, true, wakes);
    auto out = table_.poll(lane);
    table_.close(lane, CallTable::RequestEnd::kAnswered, now_, wakes);
    return out ? out : CallsAnswer{};
  }
  CallAnswer work(const contracts::NodeCall& call) {
    EXPECT_TRUE(done_.insert(call.id).second) << call.id << " was given twice";
    return {call.id, cat("did ", call.id), std::nullopt};
  }
  void callers_look() {
    for (auto each = waiting_.begin(); each != waiting_.end();) {
      const auto outcome = table_.take_outcome(*each, now_);
      if (!outcome) {
        ++each;
        continue;
      }
      ++heard_;
      if (outcome->ok()) {
        EXPECT_EQ((*outcome)->string() ? *(*outcome)->string() : "", cat("did ", *each));
        EXPECT_TRUE(done_.contains(*each)) << *each << " was never done";
      }
      each = waiting_.erase(each);
    }
  }

  CallTable table_;
  SeededRandom random_;
  MonoTime now_{};
  int step_ = 0;
  int made_ = 0;
  int64_t process_ = 1;
  std::array<Lane, kLanes> lanes_;
  std::set<CallId> waiting_;
  std::set<CallId> done_;
};

TEST(UnreliableCalls, AreDoneAtMostOnceAndToldOnce) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Unreliable world(seed);
    world.play();
    EXPECT_GT(world.heard_, 50u) << "seed " << seed;
  }
}

}  // namespace
}  // namespace paddock::calls
