// The life of one connection: request after request until one of both ends it. While it is served
// it has a thread; it needs none between requests, between the steps of an answer, nor until an
// answer can be given. One thread at a time.
#pragma once

#include <atomic>
#include <optional>

#include "controller/http_server/awaited_answer.h"
#include "controller/http_server/body.h"
#include "controller/http_server/codec.h"
#include "controller/http_server/disconnect_monitor.h"
#include "controller/http_server/origin.h"
#include "controller/http_server/server.h"
#include "controller/http_server/stepped_answer.h"

namespace paddock::http_server {

// Shared by all connections; outlives them.
struct ConnectionRules {
  const ServerOptions& options;
  const Handler& handler;
  const Codec& codec;
  const std::atomic<size_t>& serving;  // connections now, with this one
  std::atomic<size_t>& lingering;      // threads that wait a moment for their client's next request
  std::atomic<size_t>& swallowing;     // threads at an end, whose client still sends
  DisconnectMonitor& disconnects;
  IdlePoller& poller;
};

class Connection {
 public:
  Connection(const ConnectionRules& rules, std::unique_ptr<Transport> transport, OwnNames names,
             bool over_unix_socket);
  // The descriptor that is watched while no thread waits for it.
  int fd() const { return transport_->watched_fd(); }
  // Once, before all else: how long the client may take to send its first byte.
  Deadline first_deadline();
  enum class Pause {
    kSilent,  // its client asks nothing, and may be silent until silent_until()
    kTurns,   // an answer goes on by steps, or cannot be given yet: turn()
    kEnd,     // the connection has ended
  };
  // Answers what the client asks, on the calling thread, until it asks nothing for a moment or an
  // answer takes turns. One that is due is given first, and what is left of one is ended; one that
  // turns out not to be due goes on taking turns.
  Pause serve() { return serve(IdleWait::kElsewhere); }
  // The same, but this thread waits for the next request of a silent client.
  Pause serve_here() { return serve(IdleWait::kHere); }
  Deadline silent_until() const { return *silent_until_; }
  // The next turn of an answer that takes turns. Blocks only where asks() is true. When it was the
  // last, drop(), rest() or serve() is next.
  Turn turn();
  // Whether the next turn of an answer asks something that may block.
  bool asks() const { return stepped_ && stepped_->asks(); }
  // Whether the answer cannot be given yet. No part of it was sent.
  bool awaits() const { return awaited_.has_value(); }
  std::shared_ptr<ParkingWaker> waker() const {
    return awaited_ ? awaited_->waker() : stepped_->waker();
  }
  // Whether the connection waits for its client's next request from now on, until silent_until():
  // nothing is left of an answer, and none was asked for yet. Does not block.
  bool rest();
  // Whether drop() would break off nothing that somebody is to see.
  bool is_over() const { return !takes_turns() && !goes_on_ && !bytes_unread_; }
  // The connection ends at once. Does not block.
  void drop();
  // Instead of serve(): answers one error, whatever was asked.
  void refuse(const Error& error);

 private:
  enum class IdleWait { kHere, kElsewhere };
  enum class Next { kRequest, kIdle, kEnd };
  Pause serve(IdleWait idle);
  bool begin(Deadline deadline);
  bool lacks_tls() const;
  Status check_tls(const RequestHead& head) const;
  Status check(const RequestHead& head) const;
  // The origin of the page that asks, if the operator named it.
  std::string origin_of(const RequestHead& head) const;
  void serve_one();
  // The next request's head; nothing if the connection ended between two requests.
  Result<std::optional<RequestHead>> next_head();
  IoState fill_head(Deadline begun);
  Next wait_for_request(IdleWait idle);
  IoState linger(Deadline until) const;
  int idle_timeout_ms() const;
  int header_timeout_ms() const;
  int limit_ms(int usual_ms, int crowded_ms) const;
  bool crowded() const;  // connections are scarce
  void finish();
  void answer(RequestHead head);
  void conclude(Response response, const Asked& asked);
  void upgrade(const Response& response);
  void end_turns();
  bool takes_turns() const { return awaited_ || stepped_; }
  Response call_handler(Request& request) const;

  const ConnectionRules& rules_;
  std::unique_ptr<Transport> transport_;
  Input input_;
  OwnNames names_;
  bool over_unix_socket_;
  Greeting greeting_;
  bool begun_ = false;
  bool goes_on_ = false;  // there may be another request after the answer
  std::optional<AwaitedAnswer> awaited_;
  std::optional<SteppedAnswer> stepped_;
  std::optional<Deadline> silent_until_;  // while it waits for the client's next request
  bool bytes_unread_ = false;             // the client may still be sending what nobody will read
};

}  // namespace paddock::http_server
