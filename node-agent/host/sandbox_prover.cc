#include "node-agent/host/sandbox_prover.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/text.h"
#include "node-agent/host/capabilities.h"

namespace paddock::agent {
namespace {

constexpr const char* kSandbox = "sandbox";  // the capability that stands for all of it
constexpr Millis kLeastRest{5'000};
constexpr Millis kLongestRest{30'000};
constexpr int kRestsFor = 9;  // times as long as a proof took
// For so long, decisions may arrive that the controller made before it had heard of a loss.
constexpr Millis kHeardWithin{10'000};

const contracts::Capability* find(const contracts::SandboxProof& proof, std::string_view name) {
  const auto found = std::ranges::find(proof.capabilities, name, &contracts::Capability::name);
  return found == proof.capabilities.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Error> sandbox_fault(const contracts::SandboxProof& proof) {
  const contracts::Capability* sandbox = find(proof, kSandbox);
  if (sandbox == nullptr || sandbox->available) return std::nullopt;
  return Error{Code::kInternal, "SANDBOX_SETUP_FAILED",
               cat("no sandbox can be set up here: ", sandbox->details,
                   "; `paddock doctor` on this host tries it and says what mends it")};
}

bool lost_something(const contracts::SandboxProof& before, const contracts::SandboxProof& now) {
  return std::ranges::any_of(before.capabilities, [&](const contracts::Capability& each) {
    if (!each.available) return false;
    const contracts::Capability* still = find(now, each.name);
    return still == nullptr || !still->available;
  });
}

Millis rest_after_proof(Millis took) {
  return std::clamp(took * kRestsFor, kLeastRest, kLongestRest);
}

SandboxProver::SandboxProver(Prove prove, contracts::SandboxProof known, Tell tell,
                             const Clock& clock)
    : prove_(std::move(prove)), tell_(std::move(tell)), clock_(clock) {
  state_.fault = sandbox_fault(known);
  state_.known = std::move(known);
}

void SandboxProver::start() {
  thread_ = std::thread([this] { work(); });
}

void SandboxProver::stop() {
  {
    const std::lock_guard lock(mutex_);
    state_.over = true;
  }
  end_.raise();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SandboxProver::prove_again() {
  {
    const std::lock_guard lock(mutex_);
    state_.urgent = true;
  }
  changed_.notify_all();
}

void SandboxProver::doubt() {
  {
    const std::lock_guard lock(mutex_);
    state_.wanted = true;
  }
  changed_.notify_all();
}

void SandboxProver::wake() {
  { const std::lock_guard lock(mutex_); }  // who waits has looked before, or looks again
  changed_.notify_all();
}

std::optional<Error> SandboxProver::fault() const {
  const std::lock_guard lock(mutex_);
  return state_.fault;
}

bool SandboxProver::lost_since(MonoTime since, const std::atomic<bool>& give_up) {
  std::unique_lock lock(mutex_);
  if (state_.fault) return true;
  const int64_t wanted = state_.begun + 1;
  state_.wanted = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return state_.over || give_up || state_.done >= wanted; });
  if (state_.done < wanted) return false;
  return state_.fault || (state_.lost_at && since < *state_.lost_at + kHeardWithin);
}

// While no sandbox can be set up, nobody has to ask.
bool SandboxProver::due(MonoTime now) const {
  const bool in_turn = !state_.rests_until || now >= *state_.rests_until;
  return state_.urgent || ((state_.wanted || state_.fault) && in_turn);
}

// False: it is over.
bool SandboxProver::wait_until_due() {
  std::unique_lock lock(mutex_);
  while (!state_.over && !due(clock_.mono())) {
    if ((state_.wanted || state_.fault) && state_.rests_until) {
      changed_.wait_for(lock, std::max(Millis(1), *state_.rests_until - clock_.mono()));
    } else {
      changed_.wait(lock);
    }
  }
  if (state_.over) return false;
  state_.wanted = state_.urgent = false;
  ++state_.begun;
  return true;
}

void SandboxProver::work() {
  while (wait_until_due()) {
    const MonoTime begun = clock_.mono();
    const auto made = prove_(end_.fd());
    {
      const std::lock_guard lock(mutex_);
      if (state_.over) return;
    }
    const contracts::SandboxProof proof = made.ok() ? *made : unproven(made.error());
    take(proof, made.ok() ? sandbox_fault(proof) : std::optional(made.error()), begun);
  }
}

// Told first: whoever waits gives its run back, and by then nothing more shall be placed here.
void SandboxProver::take(const contracts::SandboxProof& proof, std::optional<Error> fault,
                         MonoTime begun) {
  tell_(proof, fault);
  const MonoTime now = clock_.mono();
  {
    const std::lock_guard lock(mutex_);
    if (lost_something(state_.known, proof)) state_.lost_at = now;
    state_.known = proof;
    state_.fault = std::move(fault);
    state_.done = state_.begun;
    state_.rests_until = now + rest_after_proof(now - begun);
  }
  changed_.notify_all();
}

}  // namespace paddock::agent
