// The client's side of an attached command: its WebSocket, frame by frame, on one thread. Pings are
// answered and sent, output waits for a client that is slow, and one that is silent for a minute or
// takes nothing for half of one is gone.
#pragma once

#include <optional>

#include "common/base/time.h"
#include "controller/api/handlers/runs/exec_exchange.h"
#include "controller/api/server/http.h"
#include "controller/websocket/frames.h"

namespace paddock::api {

class ExecClient {
 public:
  // All outlive it.
  ExecClient(Upgraded& connection, ExecExchange& exchange, k8s::ExecWants wants,
             const Clock& clock);
  // Until the command has ended and the client has heard of it, or until the client is gone. The
  // exchange is let go of then.
  void serve();

 private:
  bool turn();
  void fetch();
  bool write();
  bool read();
  bool may_read() const;
  void beat();
  bool in_time();
  Millis next_look() const;
  void hear(std::string_view message);
  void close(websocket::CloseCode code);
  void leave();
  void say_goodbye();

  Upgraded& connection_;
  ExecExchange& exchange_;
  const k8s::ExecWants wants_;
  const Clock& clock_;
  websocket::Frames frames_;
  MonoTime heard_;
  MonoTime taken_;
  MonoTime beat_;
  bool closed_ = false;             // by us
  std::optional<MonoTime> end_by_;  // all is sent, and nothing but the client's close is left
};

}  // namespace paddock::api
