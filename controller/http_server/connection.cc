#include "controller/http_server/connection.h"

#include <algorithm>
#include <exception>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/base/idle_thread.h"
#include "controller/http_server/answer_head.h"
#include "controller/http_server/cors.h"
#include "controller/http_server/refusal.h"
#include "controller/http_server/request_head.h"
#include "controller/http_server/request_rules.h"
#include "controller/http_server/upgraded_connection.h"

namespace paddock::http_server {
namespace {

constexpr int kLingerMs = 40'000;
// While more swallow what their clients still send, each hurries: they hold a thread each.
constexpr size_t kMaxSwallowing = 256;
constexpr int kShortLingerMs = 1'000;   // where places are scarce
constexpr int kScarcityLookMs = 1'000;  // so often whoever waits looks whether they are
// The most threads that wait for their clients' next requests, which spares a busy client the
// detour through the poller. More threads would mostly wait.
constexpr size_t kMaxLingering = 128;

DisconnectToken client_of(const Transport& transport, DisconnectMonitor& disconnects) {
  return {[&transport] { return !transport.stopping() && !transport.peer_gone(); },
          [&transport, &disconnects](std::function<void()> wake) {
            return disconnects.watch(transport.watched_fd(), std::move(wake));
          }};
}

// A HEAD asks what a GET would be answered, and for no other protocol.
Request to_request(RequestHead head, Body& body, DisconnectToken client) {
  if (head.method == "HEAD") head.headers.erase("upgrade");
  Request request;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  request.path = std::move(head.target.path);
  request.segments = std::move(head.target.segments);
  request.query = std::move(head.target.query);
  request.headers = std::move(head.headers);
  request.body = &body;
  request.client = std::move(client);
  return request;
}

}  // namespace

Connection::Connection(const ConnectionRules& rules, std::unique_ptr<Transport> transport,
                       OwnNames names, bool over_unix_socket)
    : rules_(rules),
      transport_(std::move(transport)),
      input_(*transport_),
      names_(std::move(names)),
      over_unix_socket_(over_unix_socket) {}

Deadline Connection::first_deadline() {
  silent_until_ = Deadline::in_ms(names_.tls ? header_timeout_ms() : idle_timeout_ms());
  return *silent_until_;
}

// A gateway's header comes before TLS: who leads a run's connections here sees nothing of what they
// say.
bool Connection::begin(Deadline deadline) {
  if (!over_unix_socket_ && transport_->greet(deadline, greeting_) != IoState::kOk) return false;
  if (!lacks_tls()) return transport_->handshake(deadline) == IoState::kOk;
  transport_ = transport_->without_tls();
  input_.read_from(*transport_);
  return true;
}

bool Connection::lacks_tls() const { return names_.tls && greeting_.plain_http; }

// Health checks can be asked without a certificate; all other requests are told what is missing.
Status Connection::check_tls(const RequestHead& head) const {
  const auto& plain = rules_.options.plain_paths;
  const bool asks_only = head.method == "GET" || head.method == "HEAD";
  if (!lacks_tls() || (asks_only && std::ranges::count(plain, head.target.path) > 0)) return {};
  return invalid_argument("TLS_REQUIRED", "this port speaks TLS: ask by https://");
}

Connection::Pause Connection::serve(IdleWait idle) {
  if (!begun_) {
    begun_ = goes_on_ = begin(*silent_until_);
    silent_until_.reset();
  }
  end_turns();
  while (goes_on_ && !takes_turns()) {
    const Next next = wait_for_request(idle);
    if (next == Next::kIdle) return Pause::kSilent;
    silent_until_.reset();
    if (next == Next::kEnd) break;
    serve_one();
  }
  if (takes_turns()) return Pause::kTurns;
  finish();
  return Pause::kEnd;
}

void Connection::finish() {
  if (!bytes_unread_) return transport_->finish(0);
  rules_.swallowing.fetch_add(1);
  transport_->finish(kLingerMs,
                     [&] { return crowded() || rules_.swallowing.load() > kMaxSwallowing; });
  rules_.swallowing.fetch_sub(1);
}

void Connection::end_turns() {
  if (awaited_) {
    if (!awaited_->settle(*transport_)) return;
    AwaitedAnswer awaited = std::move(*awaited_);
    awaited_.reset();
    conclude(awaited.make(), awaited.asked());
  } else if (stepped_) {
    goes_on_ = stepped_->finish(*transport_) && goes_on_;
    stepped_.reset();
  }
}

Turn Connection::turn() {
  using Then = Turn::Then;
  const Turn turn = awaited_ ? awaited_->turn(*transport_) : stepped_->turn(*transport_);
  if (turn.then != Then::kSent && turn.then != Then::kBroken) return turn;
  goes_on_ = goes_on_ && turn.then == Then::kSent && !transport_->stopping();
  stepped_.reset();
  return turn;
}

bool Connection::rest() {
  if (takes_turns() || !goes_on_ || !input_.empty()) return false;
  silent_until_ = Deadline::in_ms(idle_timeout_ms());
  return transport_->wait_readable(Deadline::in_ms(0)) == IoState::kTooSlow;
}

void Connection::drop() {
  transport_->finish(0);
  awaited_.reset();
  stepped_.reset();
}

void Connection::refuse(const Error& error) {
  if (!names_.tls || begin(Deadline::in_ms(header_timeout_ms()))) {
    (void)rules_.codec.write(*transport_, refusal(error), {.head_only = false, .close = true});
  }
  transport_->finish(kShortLingerMs);
}

// Says whether there may be another one: goes_on_.
void Connection::serve_one() {
  goes_on_ = false;
  Result<std::optional<RequestHead>> head = next_head();
  if (head.ok() && !head->has_value()) return;
  const Status status = head.ok() ? check(**head) : Status(head.error());
  if (status.ok()) return answer(std::move(**head));
  bytes_unread_ = true;
  Response refused = refusal(status.error());
  if (head.ok()) open_to(origin_of(**head), refused);
  const bool head_only = head.ok() && (*head)->method == "HEAD";
  (void)rules_.codec.write(*transport_, std::move(refused),
                           {.head_only = head_only, .close = true});
}

Status Connection::check(const RequestHead& head) const {
  TRY(check_tls(head));
  return check_origin(head, names_, rules_.options.allowed_origins);
}

std::string Connection::origin_of(const RequestHead& head) const {
  return allowed_origin(head, rules_.options.allowed_origins);
}

// While connections are scarce, one that sends no request is closed sooner, so that idle clients
// cannot hold all of them.
int Connection::idle_timeout_ms() const {
  return limit_ms(rules_.options.idle_timeout_ms, rules_.options.crowded_idle_timeout_ms);
}

int Connection::header_timeout_ms() const {
  return limit_ms(rules_.options.header_timeout_ms, rules_.options.crowded_header_timeout_ms);
}

int Connection::limit_ms(int usual_ms, int crowded_ms) const {
  return crowded() ? std::min(crowded_ms, usual_ms) : usual_ms;
}

bool Connection::crowded() const {
  return rules_.serving.load() > rules_.options.max_connections / 4 * 3;
}

Connection::Next Connection::wait_for_request(IdleWait idle) {
  if (!input_.empty()) return transport_->stopping() ? Next::kEnd : Next::kRequest;
  if (!silent_until_) silent_until_ = Deadline::in_ms(idle_timeout_ms());
  IoState state = linger(*silent_until_);
  if (state == IoState::kTooSlow && !silent_until_->over()) {
    input_.release();
    if (idle == IdleWait::kElsewhere) return Next::kIdle;
    thread_is_idle();
    state = transport_->wait_readable(*silent_until_);
  }
  return state == IoState::kOk ? Next::kRequest : Next::kEnd;
}

// A client that asks one thing after another finds its thread where it was. Returns kOk also where
// TLS has decrypted bytes that nobody read, of which a poller would not know.
IoState Connection::linger(Deadline until) const {
  const bool many = rules_.lingering.fetch_add(1) >= kMaxLingering;
  const Deadline soon = Deadline::in_ms(many ? 0 : kIdleAfter.count());
  const IoState state = transport_->wait_readable(soon.earlier_of(until));
  rules_.lingering.fetch_sub(1);
  return state;
}

// Places may become scarce while it waits.
IoState Connection::fill_head(Deadline begun) {
  for (;;) {
    const Deadline deadline = begun.later_by_ms(header_timeout_ms());
    const IoState state = input_.fill(deadline.earlier_of(Deadline::in_ms(kScarcityLookMs)));
    if (state != IoState::kTooSlow || deadline.over()) return state;
  }
}

Result<std::optional<RequestHead>> Connection::next_head() {
  const ServerOptions& options = rules_.options;
  const Deadline begun = Deadline::in_ms(0);
  bool skipped = false;
  for (size_t checked = 0;;) {
    if (!skipped &&
        input_.bytes().starts_with("\r\n")) {  // one empty line may precede (RFC 9112 section 2.2)
      input_.consume(2);
      skipped = true;
      checked = 0;
    }
    ASSIGN_OR_RETURN(const size_t size,
                     find_head_end(input_.bytes(), checked, options.max_header_bytes));
    if (size > 0) {
      ASSIGN_OR_RETURN(RequestHead head, parse_head(input_.bytes().substr(0, size),
                                                    {options.max_header_bytes, options.max_headers,
                                                     options.max_path_bytes}));
      input_.consume(size);
      return std::optional(std::move(head));
    }
    checked = input_.bytes().size();
    const IoState state = fill_head(begun);
    if (state == IoState::kTooSlow && !input_.empty()) {
      return Error{Code::kDeadlineExceeded, "HEADERS_TOO_SLOW",
                   "the headers did not arrive in time"};
    }
    if (state != IoState::kOk) return std::optional<RequestHead>();
  }
}

void Connection::answer(RequestHead head) {
  Asked asked{{.head_only = head.method == "HEAD", .close = head.wants_close}, origin_of(head)};
  Body body(*transport_, input_,
            {head.body_length, head.expects_continue, rules_.options.body_timeout_ms});
  std::optional<Response> asked_ahead = preflight(head, asked.origin);
  Request request = to_request(std::move(head), body, client_of(*transport_, rules_.disconnects));
  request.over_unix_socket = over_unix_socket_;
  request.gateway_run = greeting_.gateway_run;
  Response response = asked_ahead ? std::move(*asked_ahead) : call_handler(request);
  // If the body came too slowly, that is the answer, whatever the handler made of it: the fault is
  // the client's.
  if (body.failure() && body.failure()->reason == "BODY_TOO_SLOW")
    response = refusal(*body.failure());
  asked.settled = body.settle();
  bytes_unread_ = !asked.settled;
  if (!response.later) return conclude(std::move(response), asked);
  awaited_.emplace(std::move(response.later), std::move(asked), rules_.poller);
  input_.release();
}

// Writes the answer, or what comes before its steps.
void Connection::conclude(Response response, const Asked& asked) {
  open_to(asked.origin, response);
  if (response.upgraded) return upgrade(response);
  const bool keep = asked.settled && !asked.form.close && !transport_->stopping();
  const AnswerForm form{asked.form.head_only, !keep};
  if (has_steps(response, form)) stepped_.emplace(response.steps, response.held, rules_.poller);
  const DisconnectToken client = client_of(*transport_, rules_.disconnects);
  const bool written = rules_.codec.write(*transport_, std::move(response), form, client);
  goes_on_ = written && keep;
  if (!written) stepped_.reset();
  if (stepped_) input_.release();
}

// The connection ends with it. What the client still sends is swallowed, so that it can read the
// last words.
void Connection::upgrade(const Response& response) {
  goes_on_ = false;
  bytes_unread_ = true;
  auto upgraded = UpgradedConnection::make(*transport_, input_);
  if (!upgraded.ok()) {
    (void)rules_.codec.write(*transport_, refusal(upgraded.error()),
                             {.head_only = false, .close = true});
    return;
  }
  if (transport_->write_all(upgrade_head(response)) != IoState::kOk) return;
  try {
    response.upgraded(**upgraded);
  } catch (const std::exception& e) {
    log_error("an upgraded connection threw", {{"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("an upgraded connection threw");
  }
}

Response Connection::call_handler(Request& request) const {
  try {
    return rules_.handler(request);
  } catch (const std::exception& e) {
    log_error("a handler threw", {{"path", request.path}, {"what", to_utf8_lossy(e.what())}});
  } catch (...) {
    log_error("a handler threw", {{"path", request.path}});
  }
  return refusal({Code::kInternal, "INTERNAL", "the request could not be handled"});
}

}  // namespace paddock::http_server
