#include "controller/api/handlers/runs/exec_client.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace paddock::api {
namespace {

using websocket::CloseCode;

constexpr size_t kMostMessage = size_t{64} << 10;   // of a client; kubectl's have 32 KiB
constexpr size_t kEnoughQueued = size_t{64} << 10;  // frames are made when these are sent
constexpr size_t kMostQueued = size_t{256} << 10;   // with answers to pings: then none is read
constexpr size_t kReadBytes = size_t{16} << 10;
constexpr Millis kBeatEvery{20'000};
constexpr Millis kLongestSilence{60'000};
constexpr Millis kLongestStall{30'000};  // of one that does not read, as for other answers
constexpr Millis kFarewell{2'000};       // for the client's answer to the close

}  // namespace

ExecClient::ExecClient(Upgraded& connection, ExecExchange& exchange, k8s::ExecWants wants,
                       const Clock& clock)
    : connection_(connection),
      exchange_(exchange),
      wants_(wants),
      clock_(clock),
      frames_(kMostMessage, [this](std::string_view message) { hear(message); }),
      heard_(clock.mono()),
      taken_(heard_),
      beat_(heard_ + kBeatEvery) {}

void ExecClient::serve() {
  while (turn()) {
  }
  exchange_.let_go();
}

bool ExecClient::turn() {
  fetch();
  if (!write() || frames_.over()) return false;
  if (may_read() && !read()) return false;
  if (!in_time()) return false;
  const bool unsent = !frames_.unsent().empty();
  if (connection_.wait({may_read(), unsent}, next_look())) return true;
  if (connection_.stopping()) say_goodbye();
  return false;
}

void ExecClient::fetch() {
  while (!closed_ && frames_.queued() < kEnoughQueued) {
    const ExecExchange::ForClient next = exchange_.next_message();
    if (!next.message) return;
    frames_.send(*next.message);
    if (next.last) close(CloseCode::kNormal);
  }
}

bool ExecClient::write() {
  for (;;) {
    const std::string_view bytes = frames_.unsent();
    if (bytes.empty()) {
      taken_ = clock_.mono();
      if (closed_ && !end_by_) end_by_ = taken_ + kFarewell;
      return true;
    }
    const auto sent = connection_.write(bytes);
    if (!sent) return false;
    if (*sent == 0) return true;
    frames_.sent(*sent);
    taken_ = clock_.mono();
  }
}

// Whether to read more from the client: what the command does not take yet would have to be kept
// here.
bool ExecClient::may_read() const {
  return frames_.reads() && frames_.queued() < kMostQueued && exchange_.has_room();
}

bool ExecClient::read() {
  std::array<char, kReadBytes> bytes;
  const auto got = connection_.read(bytes.data(), bytes.size());
  if (!got) return false;
  if (*got > 0) heard_ = clock_.mono();
  frames_.take({bytes.data(), *got});
  if (!frames_.reads()) leave();  // it has closed, or broke the protocol
  return true;
}

// A client that we do not read is told that we live: it may count its own pings.
void ExecClient::beat() {
  if (closed_ || frames_.queued() >= kEnoughQueued) return;
  if (may_read())
    frames_.ping();
  else
    frames_.pong();
}

bool ExecClient::in_time() {
  const MonoTime now = clock_.mono();
  if (!may_read()) heard_ = now;
  if (now >= beat_) {
    beat_ = now + kBeatEvery;
    beat();
  }
  return now - heard_ < kLongestSilence && now - taken_ < kLongestStall &&
         (!end_by_ || now < *end_by_);
}

Millis ExecClient::next_look() const {
  MonoTime next = std::min(beat_, heard_ + kLongestSilence);
  next = std::min(next, taken_ + kLongestStall);
  if (end_by_) next = std::min(next, *end_by_);
  return std::max<Millis>(next - clock_.mono(), Millis(1));
}

void ExecClient::hear(std::string_view message) {
  if (closed_ || message.empty()) return;  // an empty one names no channel
  const auto input = k8s::exec_input(message, wants_);
  if (input) return exchange_.take(*input);
  close(CloseCode::kPolicy);
  exchange_.let_go();
}

void ExecClient::close(CloseCode code) {
  if (!closed_) frames_.close(code);
  closed_ = true;
}

// The frames make the close of their own.
void ExecClient::leave() {
  closed_ = true;
  exchange_.let_go();
}

void ExecClient::say_goodbye() {
  close(CloseCode::kGoingAway);
  for (std::string_view bytes = frames_.unsent(); !bytes.empty(); bytes = frames_.unsent()) {
    if (!connection_.write_last(bytes)) return;
    frames_.sent(bytes.size());
  }
}

}  // namespace paddock::api
