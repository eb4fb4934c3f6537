#include "cli/commands/input_sender.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/terminal/interrupt.h"
#include "common/base/suspension.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/client/retry.h"
#include "common/contracts/status.h"
#include "common/wire/describe.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using contracts::InputPiece;

constexpr size_t kInputReadBytes = size_t{16} << 10;
constexpr int kFirstPauseMs = 20;  // until a piece that is not taken is sent again
constexpr int kLongestPauseMs = 250;
constexpr Millis kSilence{250};  // a writer that is silent for longer may never come to its end
constexpr Millis kGatherTime{1'000};  // nor may one that goes on writing
constexpr Millis kPieceTime{30'000};

// Waits for the next bytes; empty at the end, nothing where there is none yet after all.
Result<std::optional<std::string>> read_piece(int fd) {
  std::string out(kInputReadBytes, '\0');
  ssize_t count = 0;
  do {
    count = ::read(fd, out.data(), out.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) return std::optional<std::string>();
  if (count < 0) return system_error("reading standard input", errno);
  out.resize(static_cast<size_t>(count));
  return std::optional(std::move(out));
}

// How long poll() waits for the next bytes; nothing: they are not waited for.
std::optional<int> gather_wait(Until until, Millis taken) {
  if (until == Until::kEnd) return -1;
  if (taken >= kGatherTime) return std::nullopt;
  return static_cast<int>(std::min(kSilence, kGatherTime - taken).count());
}

// The command has ended, and so it needs nothing.
bool is_over(const Error& error) {
  return error.reason == "COMMAND_NOT_FOUND" || error.reason == "RUN_NOT_RUNNING";
}

contracts::TerminalSize terminal_size(const WindowSize& window) {
  return {window.rows, window.columns};
}

}  // namespace

Result<Gathered> gather_input(int fd, size_t most, Until until, const Clock& clock) {
  const ReadingFile reading;
  const MonoTime begun = clock.mono();
  Gathered out;
  while (out.bytes.size() <= most) {
    const std::optional<int> wait_ms = gather_wait(until, clock.mono() - begun);
    if (!wait_ms) return out;
    pollfd news{fd, POLLIN, 0};
    const int ready = ::poll(&news, 1, *wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return out;
    ASSIGN_OR_RETURN(const auto bytes, read_piece(fd));
    if (!bytes) continue;
    out.whole = bytes->empty();
    if (out.whole) return out;
    out.bytes += *bytes;
  }
  return out;
}

InputSender::InputSender(std::unique_ptr<http::Client> http, InputPlan plan, Millis patience,
                         const Clock& clock, std::function<void()> on_failure)
    : plan_(std::move(plan)),
      patience_(patience),
      clock_(clock),
      on_failure_(std::move(on_failure)),
      http_(std::move(http)) {}

void InputSender::start() {
  if (thread_.joinable()) return;
  if (plan_.terminal) {
    auto changes = WindowChanges::start();
    if (!changes.ok()) {
      fail(changes.error());
      return;
    }
    changes_ = std::move(*changes);
  }
  told_ = plan_.window;
  over_ = !plan_.input;
  thread_ = std::thread([this] { run(); });
}

void InputSender::stop() {
  stop_.raise();
  http_->abort();
  if (thread_.joinable()) thread_.join();
  changes_.reset();
}

// The window may have changed since the command was asked for.
void InputSender::run() {
  if (changes_ && !send_window()) return;
  if (!send_first()) return;
  while (turn()) {
  }
}

bool InputSender::send_first() {
  for (std::string_view rest = plan_.first; !rest.empty();) {
    InputPiece piece;
    const size_t count = std::min(rest.size(), contracts::run_exec::kMostPieceBytes);
    piece.data = base64(rest.substr(0, count));
    rest.remove_prefix(count);
    if (!send(std::move(piece))) return false;
  }
  return true;
}

// False: nothing is left to be done.
bool InputSender::turn() {
  std::array<pollfd, 3> fds = {{{stop_.fd(), POLLIN, 0},
                                {changes_ ? changes_->fd() : -1, POLLIN, 0},
                                {over_ ? -1 : plan_.fd, POLLIN, 0}}};
  const auto& [stop, changes, input] = fds;
  if (over_ && !changes_) return false;
  if (::poll(fds.data(), static_cast<nfds_t>(fds.size()), -1) < 0) return errno == EINTR;
  if (stop.revents != 0) return false;
  if (changes.revents != 0 && !send_window()) return false;
  return input.revents == 0 || read_and_send();
}

bool InputSender::send_window() {
  changes_->clear();
  const WindowSize now = window_size(STDIN_FILENO, STDOUT_FILENO);
  if (now == std::exchange(told_, now)) return true;
  InputPiece piece;
  piece.terminal = terminal_size(now);
  return send(std::move(piece));
}

// The end of a terminal's input is a key like others; our own terminal is gone then. What cannot be
// read is no end: the command would take a part for the whole.
bool InputSender::read_and_send() {
  const auto bytes = read_piece(plan_.fd);
  if (!bytes.ok()) return fail(bytes.error());
  if (!*bytes) return true;
  over_ = (*bytes)->empty();
  if (over_ && plan_.terminal) return true;
  InputPiece piece;
  piece.end = over_;
  if (!over_) piece.data = base64(**bytes);
  return send(std::move(piece));
}

bool InputSender::send(InputPiece piece) {
  piece.seq = ++seq_;
  LivedTime silence(client::kLongestTry, clock_.mono());
  for (int pause = kFirstPauseMs;; pause = std::min(pause * 2, kLongestPauseMs)) {
    const Tried tried = try_once(piece, patience_ - silence.look(clock_.mono()));
    if (tried.fate == Fate::kTaken) return true;
    if (tried.fate == Fate::kRefused) return fail(*tried.error);
    if (tried.fate == Fate::kOver || stops_within(pause)) return false;
    if (tried.fate == Fate::kWaits) {
      silence = LivedTime(client::kLongestTry, clock_.mono());
    } else if (silence.look(clock_.mono()) >= patience_) {
      return fail(given_up(*tried.error));
    }
  }
}

Error InputSender::given_up(Error last) const {
  last.message = cat("for ", format_duration(patience_), " no input was taken: ", last.message);
  return last;
}

InputSender::Tried InputSender::try_once(const InputPiece& piece, Millis time) {
  http::Request request;
  request.method = "POST";
  request.target = plan_.target;
  request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
  request.body = wire::encode_json(piece);
  request.timeout = std::clamp(time, Millis(1'000), kPieceTime);
  const auto response = http_->send(request);
  if (!response.ok())
    return {Fate::kFails, Error{Code::kUnavailable, "STREAM_LOST", response.error().message}};
  if (response->status / 100 == 2) return {Fate::kTaken, {}};
  if (response->status == 429) return {Fate::kWaits, {}};
  const auto body = wire::parse_json(response->body);
  Error error = contracts::error_from_body(response->status, body.ok() ? *body : wire::Value());
  if (is_over(error)) return {Fate::kOver, {}};
  return {response->status >= 500 ? Fate::kFails : Fate::kRefused, std::move(error)};
}

bool InputSender::stops_within(int pause_ms) const {
  pollfd stop{stop_.fd(), POLLIN, 0};
  return ::poll(&stop, 1, pause_ms) > 0;
}

// Whom nobody types to has Ctrl-C for us, and only the size of the window is not told.
bool InputSender::fail(Error error) {
  if (!plan_.input || failure_) return false;
  failure_ = std::move(error);
  on_failure_();
  return false;
}

}  // namespace paddock::cli
