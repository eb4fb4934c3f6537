#include "controller/http_server/stepped_answer.h"

#include <exception>
#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/http_server/codec.h"

namespace paddock::http_server {
namespace {

// What a step writes to: kept until its turn is over.
class StepOut final : public ResponseStream {
 public:
  StepOut(const Transport& transport, std::string& unsent)
      : transport_(transport), unsent_(unsent) {}
  bool write(std::string_view bytes) override {
    if (!bytes.empty()) unsent_ += chunk_of(bytes);
    return true;
  }
  bool open() const override { return !transport_.stopping() && !transport_.peer_gone(); }

 private:
  const Transport& transport_;
  std::string& unsent_;
};

}  // namespace

// The thread of a turn was chosen by asks() before it. So what becomes true in it, since the last
// of what was unsent went, is for the next one.
Turn SteppedAnswer::turn(Transport& transport) {
  const bool ask = asks();
  if (const auto held_up = flush(transport)) return *held_up;
  if (ended_) return {Turn::Then::kSent};
  waker_->begin();
  if (ask_next_ && !ask) return {Turn::Then::kAgain};
  const bool gone = transport.stopping() || transport.peer_gone();
  if (gone && !steps_->may_end_early()) return {Turn::Then::kBroken};
  const auto next = gone ? Steps::Next{Steps::Then::kEnd} : step(transport, ask);
  if (!next || next->then == Steps::Then::kBroken) return {Turn::Then::kBroken};
  ask_next_ = next->then == Steps::Then::kAsk;
  if (next->then == Steps::Then::kEnd) {
    unsent_ += kLastChunk;
    ended_ = true;
  }
  if (const auto held_up = flush(transport)) return *held_up;
  if (ended_) return {Turn::Then::kSent};
  if (next->then != Steps::Then::kWait) return {Turn::Then::kAgain};
  return {Turn::Then::kWait, Deadline::in_ms(next->limit.count())};
}

std::optional<Steps::Next> SteppedAnswer::step(Transport& transport, bool ask) {
  try {
    StepOut out(transport, unsent_);
    return ask ? steps_->ask(out) : steps_->step(out, waker_);
  } catch (const std::exception& e) {
    log_error("a step of an answer threw", {{"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("a step of an answer threw");
  }
  return std::nullopt;
}

// Each piece has its time, as in Transport::write_all(): a slow client has to go on taking some.
std::optional<Turn> SteppedAnswer::flush(Transport& transport) {
  if (unsent_.empty()) return std::nullopt;
  size_t went = 0;
  const SendState state = transport.write_some(std::string_view(unsent_).substr(sent_), went);
  sent_ += went;
  since_ += went;
  if (!write_by_ || since_ >= kPieceBytes) {
    write_by_ = Deadline::in_ms(transport.write_timeout_ms());
    since_ = 0;
  }
  if (state == SendState::kAll) {
    unsent_ = std::string();  // with its memory
    sent_ = 0;
    write_by_.reset();
    return std::nullopt;
  }
  if (state == SendState::kClosed || write_by_->over()) return Turn{Turn::Then::kBroken};
  const bool reads = state == SendState::kWantsRead;
  return Turn{Turn::Then::kUnsent, write_by_,
              reads ? IdlePoller::Interest::kReadable : IdlePoller::Interest::kWritable};
}

bool SteppedAnswer::finish(Transport& transport) {
  waker_->begin();
  if (!ended_ && !steps_->may_end_early()) return false;
  if (!ended_) unsent_ += kLastChunk;
  ended_ = true;
  return transport.write_all(std::string_view(unsent_).substr(sent_)) == IoState::kOk;
}

}  // namespace paddock::http_server
