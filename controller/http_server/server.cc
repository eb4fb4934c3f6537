#include "controller/http_server/server.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/http_server/connection.h"
#include "controller/http_server/idle_poller.h"
#include "controller/http_server/listener.h"
#include "controller/http_server/step_pool.h"
#include "controller/http_server/thread_group.h"
#include "controller/http_server/worker_pool.h"

namespace paddock::http_server {
namespace {

constexpr size_t kMaxRefusals = 64;     // connections beyond the cap that still get an answer
constexpr int kAcceptBurst = 64;        // per listener, before others have their turn
constexpr int kMaxFailures = 16;        // of accept() in a burst, before a pause
constexpr int kPauseMs = 50;            // after the host ran out of descriptors or memory
constexpr int64_t kPausesPerLine = 20;  // of the log
constexpr size_t kFewestSteppers = 2;   // so that one that computes for long is not all there is
constexpr size_t kLookers = 2;          // each look is short, and none reads the store
constexpr size_t kMostSteppers = 16;
constexpr size_t kAskers = 4;  // while the store answers they are enough for thousands of answers

// Steps do not wait, so more threads than processors would do no more of them.
size_t steppers_for(size_t processors) {
  return std::clamp(processors, kFewestSteppers, kMostSteppers);
}

Error too_many_connections() {
  return {Code::kUnavailable, "TOO_MANY_CONNECTIONS",
          "this server has as many connections as it may have; retry later"};
}

std::vector<std::string> normalised(const std::vector<std::string>& hosts) {
  std::vector<std::string> out;
  for (const std::string& host : hosts) {
    if (const auto authority = parse_authority(host); authority) out.push_back(authority->host);
  }
  return out;
}

// The descriptors by which the kernel tells the server of events.
struct Descriptors {
  static Result<Descriptors> make() {
    Descriptors all;
    for (const os::Event* event :
         {&all.stop, &all.wakeup, &all.finished_workers, &all.finished_steppers,
          &all.finished_lookers, &all.finished_askers, &all.finished_own}) {
      TRY(StopSignal::check(*event));
    }
    ASSIGN_OR_RETURN(all.disconnects, DisconnectMonitor::make_poll());
    ASSIGN_OR_RETURN(all.idle, IdlePoller::make_poll());
    return all;
  }
  os::Event stop;
  os::Event wakeup;
  os::Event finished_workers;
  os::Event finished_steppers;
  os::Event finished_lookers;
  os::Event finished_askers;
  os::Event finished_own;
  os::Fd disconnects;
  os::Fd idle;
};

class GuardedServer final : public Server {
 public:
  GuardedServer(ServerOptions options, Handler handler,
                std::vector<std::unique_ptr<Listener>> listeners, Descriptors fds)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        listeners_(std::move(listeners)),
        allowed_hosts_(normalised(options_.allowed_hosts)),
        codec_(options_.wall),
        stop_(std::move(fds.stop)),
        disconnects_(std::move(fds.disconnects), stop_),
        idle_(std::move(fds.idle), std::move(fds.wakeup), stop_),
        workers_(std::move(fds.finished_workers)),
        steppers_(std::move(fds.finished_steppers)),
        lookers_(std::move(fds.finished_lookers)),
        askers_(std::move(fds.finished_askers)),
        own_(std::move(fds.finished_own)) {
    for (const auto& listener : listeners_) ports_.push_back(listener->port());
  }
  ~GuardedServer() override { stop(); }

  bool start_accepting() {
    return steppers_.start(steppers_for(std::thread::hardware_concurrency())) &&
           lookers_.start(kLookers) && askers_.start(kAskers) &&
           own_.start([this] { disconnects_.tell_until_stopped(); }) &&
           own_.start([this] { idle_.poll_until_stopped(); }) &&
           own_.start([this] { accept_until_stopped(); });
  }
  int port(size_t i) const override { return ports_.at(i); }
  size_t connections() const override { return serving_.load(); }
  size_t parked() const override { return idle_.parked(); }
  // Own threads first: they give work to the others, and those that make turns some to the workers.
  void stop() override {
    std::lock_guard lock(stop_mutex_);
    stop_.raise();
    own_.join_all();
    listeners_.clear();
    lookers_.stop();
    steppers_.stop();
    askers_.stop();
    workers_.stop();
  }

 private:
  using ConnectionPtr = std::shared_ptr<Connection>;
  void accept_until_stopped();
  void accept_burst(const Listener& listener);
  void admit(const Listener& listener, os::Fd fd);
  void pause(int why);
  void refuse(ConnectionPtr connection);
  // The state of an answer that is made in turns, after one of its turns.
  enum class Turned {
    kElsewhere,  // it waits, and its connection is another thread's
    kAgain,      // it has its next turn when all others had theirs
    kThread,     // it has ended, has to end, or is to be made: see Connection::turn()
  };
  void serve(const ConnectionPtr& connection);
  void serve_on_thread(const ConnectionPtr& connection);
  Turned turn(const ConnectionPtr& connection);
  void step(const ConnectionPtr& connection);
  bool queue_step(ConnectionPtr connection);
  IdlePoller::Resume next_step(ConnectionPtr connection);
  bool park(const ConnectionPtr& connection, Deadline silent_until);
  void resume(const ConnectionPtr& connection, IdlePoller::Reason reason);
  void give_up(const ConnectionPtr& connection);

  const ServerOptions options_;
  const Handler handler_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<int> ports_;
  const std::vector<std::string> allowed_hosts_;
  const Codec codec_;
  StopSignal stop_;
  DisconnectMonitor disconnects_;
  IdlePoller idle_;
  std::atomic<size_t> serving_{0};
  std::atomic<size_t> lingering_{0};
  std::atomic<size_t> swallowing_{0};
  const ConnectionRules rules_{options_,   handler_,    codec_,       serving_,
                               lingering_, swallowing_, disconnects_, idle_};
  std::atomic<size_t> refusing_{0};
  int64_t pauses_ = 0;  // in a row; of the accepting thread
  std::mutex stop_mutex_;
  WorkerPool workers_;  // serve connections
  StepPool steppers_;   // make the steps of answers
  StepPool lookers_;    // look whether answers that come later are due
  StepPool askers_;     // ask for answers that are made by steps what may block
  ThreadGroup own_;     // threads
};

void GuardedServer::accept_until_stopped() {
  std::vector<pollfd> fds{{stop_.fd(), POLLIN, 0}, {workers_.finished_fd(), POLLIN, 0}};
  for (const auto& listener : listeners_) fds.push_back({listener->fd(), POLLIN, 0});
  while (!stop_.raised()) {
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno != EINTR) pause(errno);
      continue;
    }
    if (fds[1].revents != 0) workers_.join_finished();
    for (size_t i = 0; i < listeners_.size(); ++i) {
      if (fds[i + 2].revents != 0) accept_burst(*listeners_[i]);
    }
  }
}

// No failure of accept() ends the listener: most are the fault of one client that went away. Those
// that may last are waited out, so that they cost neither a core nor a disk full of log.
void GuardedServer::accept_burst(const Listener& listener) {
  int failures = 0;
  for (int i = 0; i < kAcceptBurst && !stop_.raised(); ++i) {
    os::Fd fd = listener.accept();
    if (fd.valid()) {
      pauses_ = 0;
      admit(listener, std::move(fd));
      continue;
    }
    const int why = errno;
    if (why == EAGAIN) return;
    const bool scarce = why == EMFILE || why == ENFILE || why == ENOBUFS || why == ENOMEM;
    if (scarce || ++failures >= kMaxFailures) return pause(why);
  }
}

void GuardedServer::pause(int why) {
  if (pauses_++ % kPausesPerLine == 0) {
    log_warn("no connection can be accepted; if descriptors ran out, raise the limit (nofile)",
             {{"error", std::generic_category().message(why)}, {"pauses", cat(pauses_)}});
  }
  pollfd stop{stop_.fd(), POLLIN, 0};
  (void)::poll(&stop, 1, kPauseMs);
}

// Only the accepting thread counts up, so the caps hold. A connection has a thread once its client
// says something.
void GuardedServer::admit(const Listener& listener, os::Fd fd) {
  const bool full = serving_.load() >= options_.max_connections;
  if (full && refusing_.load() >= kMaxRefusals) return;
  OwnNames names = listener.names_for(fd.get(), allowed_hosts_);
  auto transport = listener.transport_for(std::move(fd), stop_, options_.write_timeout_ms);
  if (!transport.ok()) return log_error(transport.error().describe());
  auto connection = std::make_shared<Connection>(rules_, std::move(*transport), std::move(names),
                                                 listener.is_unix());
  if (full) return refuse(std::move(connection));
  serving_.fetch_add(1);
  if (!park(connection, connection->first_deadline())) serve_on_thread(connection);
}

void GuardedServer::refuse(ConnectionPtr connection) {
  refusing_.fetch_add(1);
  const bool started = workers_.run([this, connection = std::move(connection)] {
    connection->refuse(too_many_connections());
    refusing_.fetch_sub(1);
  });
  if (!started) refusing_.fetch_sub(1);
}

// Once it is parked it is another thread's. The first steps of an answer are made on this thread,
// until it waits.
void GuardedServer::serve(const ConnectionPtr& connection) {
  using Pause = Connection::Pause;
  for (Pause pause = connection->serve(); pause != Pause::kEnd;) {
    if (pause == Pause::kSilent) {
      if (park(connection, connection->silent_until())) return;
      pause = connection->serve_here();
    } else {
      const Turned turned = turn(connection);
      if (turned == Turned::kElsewhere) return;
      if (turned == Turned::kThread) pause = connection->serve();
    }
  }
  serving_.fetch_sub(1);
}

void GuardedServer::serve_on_thread(const ConnectionPtr& connection) {
  if (workers_.run([this, connection] { serve(connection); })) return;
  log_warn("no thread for a connection", {{"connections", cat(serving_.load())}});
  give_up(connection);
}

GuardedServer::Turned GuardedServer::turn(const ConnectionPtr& connection) {
  using Then = Turn::Then;
  const Turn turn = connection->turn();
  switch (turn.then) {
    case Then::kAgain:
      return Turned::kAgain;
    case Then::kWait:
      switch (connection->waker()->park(connection->fd(), *turn.until, next_step(connection))) {
        case ParkingWaker::Parking::kParked:
          return Turned::kElsewhere;
        case ParkingWaker::Parking::kWoken:
          return Turned::kAgain;
        case ParkingWaker::Parking::kRefused:
          return Turned::kThread;
      }
      break;
    case Then::kUnsent:
      return idle_.park(connection->fd(), turn.interest, *turn.until, next_step(connection))
                 ? Turned::kElsewhere
                 : Turned::kThread;
    case Then::kDue:
    case Then::kSent:
    case Then::kBroken:
      break;
  }
  return Turned::kThread;
}

// On a thread of a StepPool: what may block goes to a thread that may.
void GuardedServer::step(const ConnectionPtr& connection) {
  const Turned turned = turn(connection);
  if (turned == Turned::kElsewhere) return;
  if (turned == Turned::kAgain && queue_step(connection)) return;
  if (connection->rest() && park(connection, connection->silent_until())) return;
  if (connection->is_over()) return give_up(connection);
  serve_on_thread(connection);
}

// Agents and what they are called for depend on answers that come later, and however many watches
// have something to say, these are not behind them in a queue. Nor is anybody behind a watch that
// asks a store which does not answer, but others that ask.
bool GuardedServer::queue_step(ConnectionPtr connection) {
  StepPool& pool = connection->awaits() ? lookers_ : connection->asks() ? askers_ : steppers_;
  return pool.run([this, connection = std::move(connection)]() { step(connection); });
}

// Whatever it was resumed by, the turn finds out. The pools take work as long as there is a poller.
// The connection is handed over whole: who resumes it shall not be the one who lets go of it last.
IdlePoller::Resume GuardedServer::next_step(ConnectionPtr connection) {
  return [this, connection = std::move(connection)](IdlePoller::Reason) mutable {
    queue_step(std::move(connection));
  };
}

bool GuardedServer::park(const ConnectionPtr& connection, Deadline silent_until) {
  return idle_
      .park(connection->fd(), IdlePoller::Interest::kReadable, silent_until,
            [this, connection](IdlePoller::Reason reason) { resume(connection, reason); })
      .has_value();
}

void GuardedServer::resume(const ConnectionPtr& connection, IdlePoller::Reason reason) {
  if (reason == IdlePoller::Reason::kReady) return serve_on_thread(connection);
  give_up(connection);
}

void GuardedServer::give_up(const ConnectionPtr& connection) {
  connection->drop();
  serving_.fetch_sub(1);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  std::vector<std::unique_ptr<Listener>> listeners;
  for (const ListenAddress& address : options.listen) {
    ASSIGN_OR_RETURN(std::unique_ptr<Listener> listener, Listener::open(address));
    listeners.push_back(std::move(listener));
  }
  ASSIGN_OR_RETURN(Descriptors fds, Descriptors::make());
  auto server = std::make_unique<GuardedServer>(std::move(options), std::move(handler),
                                                std::move(listeners), std::move(fds));
  if (!server->start_accepting())
    return Error{Code::kUnavailable, "NO_THREADS", "no thread could be started"};
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace paddock::http_server
