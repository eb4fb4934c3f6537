#include "node-agent/sandbox/linux/launcher/exec_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "common/contracts/run_signal.h"
#include "common/os/event.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/command/command_spec.h"
#include "node-agent/sandbox/linux/child/control.h"
#include "node-agent/sandbox/linux/child/terminal.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/launcher/exec_supervisor.h"
#include "node-agent/sandbox/plan/request_check.h"
#include "node-agent/sandbox/result/denials.h"
#include "node-agent/sandbox/result/request.h"

namespace paddock::sandbox {
namespace {

using contracts::ExecOrder;
using contracts::LaunchRequest;
using contracts::SandboxResult;
using Type = ControlMessage::Type;

constexpr int kExecOrderMs = 30'000;  // how long a client that has connected may say nothing
constexpr size_t kMostOrderBytes = size_t{1} << 20;
constexpr int kMostThreads = 4 * contracts::run_exec::kMostAtOnce;  // with those that refuse
constexpr int kEndIsNearMs = 1'000;  // of a run whose init is gone, until we hear of its end
constexpr std::chrono::milliseconds kSettling{200};           // threads of a run that is over
constexpr std::chrono::milliseconds kClientFarewell{10'000};  // and their clients

struct Received {
  int signal = 0;  // for the run's own command; else an order of a further one:
  os::Fd order;
  os::Fd events;
  os::Fd input;  // the pipe that the command reads; invalid: it has no input
};

bool is_pipe(const os::Fd& end) {
  struct stat info {};
  return fstat(end.get(), &info) == 0 && S_ISFIFO(info.st_mode);
}

Error run_over_error() {
  return {Code::kFailedPrecondition, "RUN_NOT_RUNNING", "the run has ended meanwhile"};
}

int number_of(contracts::RunSignal signal) {
  switch (signal) {
    case contracts::RunSignal::kHup:
      return SIGHUP;
    case contracts::RunSignal::kInt:
      return SIGINT;
    case contracts::RunSignal::kTerm:
      return SIGTERM;
    case contracts::RunSignal::kUsr1:
      return SIGUSR1;
    case contracts::RunSignal::kUsr2:
      return SIGUSR2;
    case contracts::RunSignal::kWinch:
      return SIGWINCH;
    case contracts::RunSignal::kCont:
      return SIGCONT;
  }
  return 0;
}

// 0: it is no order of a signal.
int signal_in(const os::Packet& packet) {
  const std::string_view text = packet.bytes;
  if (!packet.fds.empty() || !text.starts_with(contracts::kSignalOrder)) return 0;
  const auto signal =
      wire::parse_enum<contracts::RunSignal>(text.substr(contracts::kSignalOrder.size()));
  return signal ? number_of(*signal) : 0;
}

Result<Received> receive_exec_order(int client, int run_over) {
  std::array<pollfd, 2> said{{{client, POLLIN, 0}, {run_over, POLLIN, 0}}};
  if (poll(said.data(), said.size(), kExecOrderMs) <= 0)
    return Error{Code::kDeadlineExceeded, "NO_ORDER", "no order came in time"};
  if (said[0].revents == 0) return run_over_error();
  ASSIGN_OR_RETURN(os::Packet packet, os::receive_packet(client));
  ASSIGN_OR_RETURN(const uid_t user, os::peer_user(client));
  if (user != geteuid() && user != 0)
    return Error{Code::kPermissionDenied, "NOT_THE_OWNER", "only the run's own user is served"};
  if (const int signal = signal_in(packet); signal != 0) return Received{.signal = signal};
  const size_t count = packet.fds.size();
  const bool known = packet.bytes == contracts::kExecOrder ||
                     (packet.bytes == contracts::kExecTerminalOrder && count == 2);
  if (!known || (count != 2 && count != 3) || !os::is_regular_file(packet.fds[0]) ||
      (count == 3 && !is_pipe(packet.fds[2])))
    return invalid_argument("BAD_ORDER", "this is not an order of this launcher's version");
  return Received{0, std::move(packet.fds[0]), std::move(packet.fds[1]),
                  count == 3 ? std::move(packet.fds[2]) : os::Fd()};
}

Result<ExecOrder> read_order(const os::Fd& file) {
  ASSIGN_OR_RETURN(const std::string text, os::read_all(file.get(), kMostOrderBytes));
  ASSIGN_OR_RETURN(const wire::Value document, wire::parse_json(text));
  return wire::decode<ExecOrder>(document);
}

// The run's own request with another command. What the run's command found in its scratch space is
// there, or is not any more.
Result<LaunchRequest> request_of(const ExecGround& ground, const Result<ExecOrder>& order) {
  if (!order.ok()) return order.error();
  LaunchRequest out = ground.request;
  out.command = order->command;
  out.trace_id = order->command_id;
  out.brief_result = true;
  out.stdin_file.clear();
  out.input_file.clear();
  out.scratch_folders.clear();
  out.scratch_files.clear();
  if (order->terminal) out.env.try_emplace("TERM", "xterm");
  TRY(check_command(out));
  return out;
}

// So that the command can open it by its name, such as /dev/stdin.
Status lend_stream(const ExecGround& ground, const os::Fd& end) {
  if (ground.lends_streams && fchown(end.get(), ground.stream_owner, ground.stream_group) != 0)
    return step_error("lending a stream", errno);
  return {};
}

struct OpenChannels {
  ExecChannels ours;
  os::Fd control;
  os::Fd out;
  os::Fd err;
};

Result<OpenChannels> open_exec_channels(const ExecGround& ground) {
  ASSIGN_OR_RETURN(ControlPair control, make_control_pair());
  ASSIGN_OR_RETURN(os::Pipe out, os::make_pipe());
  ASSIGN_OR_RETURN(os::Pipe err, os::make_pipe());
  for (const os::Fd* end : {&out.read, &err.read}) {
    if (fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0) return system_error("the output pipes", errno);
    TRY(lend_stream(ground, *end));
  }
  return OpenChannels{{std::move(control.launcher), std::move(out.read), std::move(err.read)},
                      std::move(control.child),
                      std::move(out.write),
                      std::move(err.write)};
}

CommandSpec spec_of(const ExecGround& ground, const LaunchRequest& request) {
  const MachineShare& share = ground.plan.share;
  const bool chosen = share.processors.size() < share.machine->processors.size();
  return {request.command,
          request.env,
          request.workdir,
          {},
          ground.plan.rlimits,
          {},
          {},
          ground.plan.tools.ids,
          chosen ? share.processors : std::vector<int>(),
          ground.plan.landlock.network};
}

// All that the keeper and the command's process will hear lies ready when init starts them.
Result<ExecChannels> start_in_run(const ExecGround& ground, const LaunchRequest& request,
                                  const os::Fd& input, int terminal) {
  ASSIGN_OR_RETURN(OpenChannels channels, open_exec_channels(ground));
  ASSIGN_OR_RETURN(const os::Fd spec, os::file_in_memory(pack(spec_of(ground, request))));
  const int talk = channels.ours.control.get();
  bool sent = send_control(talk, Type::kOutput, terminal, 0, {}, channels.out.get()) &&
              send_control(talk, Type::kErrors, 0, 0, {}, channels.err.get());
  if (input.valid()) {
    TRY(lend_stream(ground, input));
    sent = sent && send_control(talk, Type::kInput, 0, 0, {}, input.get());
  }
  if (ground.ruleset.valid())
    sent = sent && send_control(talk, Type::kRuleset, 0, 0, {}, ground.ruleset.get());
  sent = sent && send_control(talk, Type::kGo, ground.has_ruleset ? 1 : 0, 0, {}, spec.get());
  sent = sent && send_control(ground.init.get(), Type::kExec, 0, 0, {}, channels.control.get());
  if (!sent) return step_error("telling the run's init", errno);
  return std::move(channels.ours);
}

// Most likely the run's end came first.
void explain_refusal(const Error& error, int run_over, const LaunchRequest& request,
                     SandboxResult& result) {
  pollfd over{run_over, POLLIN, 0};
  if (poll(&over, 1, kEndIsNearMs) > 0) return tell_of_the_runs_end(result);
  classify(outcome::SetupFailed{error}, {}, request.command[0], result);
}

}  // namespace

struct ExecHost::Shared {
  explicit Shared(const Clock& its_clock) : clock(its_clock) {}
  const Clock& clock;
  const os::Event over;  // the run has ended
  std::optional<ExecGround> ground;
  std::mutex lock;  // of all below
  std::condition_variable changed;
  int threads = 0;
  int running = 0;  // commands
  bool ended = false;
  bool reached_broker = false;
  std::set<int> limit_signals;
  DenialList denials;
};

struct ExecHost::Client {
  std::shared_ptr<Shared> shared;
  os::Fd socket;

  void serve() const;
  Status pass_on(int signal) const;
  Status begin() const;
  void end() const;
  Result<SandboxResult> execute(const LaunchRequest& request, os::Fd input, const ExecOrder& order,
                                EventWriter& events) const;
  void keep(const SandboxResult& result, const ExecSupervisor& watched) const;
};

Status ExecHost::Client::begin() const {
  const std::lock_guard hold(shared->lock);
  if (shared->ended) return run_over_error();
  if (shared->running >= contracts::run_exec::kMostAtOnce)
    return Error{
        Code::kResourceExhausted, "TOO_MANY_COMMANDS",
        cat("the run has ", contracts::run_exec::kMostAtOnce,
            " commands under way, as many as a run takes: wait for one to end, or cancel one")};
  ++shared->running;
  return {};
}

void ExecHost::Client::end() const {
  const std::lock_guard hold(shared->lock);
  --shared->running;
  shared->changed.notify_all();
}

void ExecHost::Client::keep(const SandboxResult& result, const ExecSupervisor& watched) const {
  const std::lock_guard hold(shared->lock);
  shared->reached_broker |= watched.reached_broker();
  const std::set<int>& signals = watched.limit_signals_sent();
  shared->limit_signals.insert(signals.begin(), signals.end());
  for (contracts::Denial denial : result.denials) {
    denial.command_id = result.trace_id;
    shared->denials.add(std::move(denial));
  }
}

// The input is closed here, so that only the command holds the end that it reads.
Result<SandboxResult> ExecHost::Client::execute(const LaunchRequest& request, os::Fd input,
                                                const ExecOrder& order, EventWriter& events) const {
  const ExecGround& ground = *shared->ground;
  const int terminal =
      order.terminal ? pack_size(order.terminal->rows, order.terminal->columns) : 0;
  ASSIGN_OR_RETURN(ExecChannels channels, start_in_run(ground, request, input, terminal));
  input.reset();
  ExecSupervisor supervisor(
      std::move(channels),
      {ground.plan, ground.choices, events, shared->clock, socket.get(), shared->over.fd(),
       Millis(order.time_ms), contracts::run_exec::kMostOutputBytes, order.stream, terminal != 0});
  TRY(supervisor.start());
  SandboxResult result;
  result.trace_id = request.trace_id;
  supervisor.run(request.command[0], result);
  keep(result, supervisor);
  return result;
}

// Init has it, or is at its end.
Status ExecHost::Client::pass_on(int signal) const {
  const std::lock_guard hold(shared->lock);
  if (shared->ended) return run_over_error();
  if (send_control(shared->ground->init.get(), Type::kSignal, signal)) return {};
  if (errno != EAGAIN) return run_over_error();
  return Error{Code::kResourceExhausted, "TOO_MANY_COMMANDS",
               "the run stands still and has not taken the signals before; send it again later"};
}

void ExecHost::Client::serve() const {
  auto received = receive_exec_order(socket.get(), shared->over.fd());
  const int signal = received.ok() ? received->signal : 0;
  Status taken = !received.ok() ? Status(received.error())
                 : signal != 0  ? pass_on(signal)
                                : begin();
  const std::string reply = taken.ok() ? cat(contracts::kLaunchAccepted, getpid())
                                       : cat(contracts::kLaunchRefused, taken.error().reason, ": ",
                                             taken.error().message);
  const bool told = os::send_packet(socket.get(), reply).ok();
  if (!taken.ok() || signal != 0) return;
  if (told) {
    EventWriter events(std::move(received->events), shared->clock);
    const auto order = read_order(received->order);
    const auto request = request_of(*shared->ground, order);
    (void)answer(request, events, [&](const LaunchRequest& wanted) {
      auto result = execute(wanted, std::move(received->input), *order, events);
      if (result.ok()) {
        end();
        return std::move(*result);
      }
      SandboxResult refused;
      explain_refusal(result.error(), shared->over.fd(), wanted, refused);
      end();
      return refused;
    });
    if (request.ok()) return;
  }
  end();
}

Result<std::unique_ptr<ExecHost>> ExecHost::open(const std::string& socket, const Clock& clock) {
  ASSIGN_OR_RETURN(os::Fd listener, os::listen_packets(socket));
  auto shared = std::make_shared<Shared>(clock);
  if (!shared->over.valid()) return system_error("making a run's event", errno);
  return std::unique_ptr<ExecHost>(new ExecHost(std::move(shared), std::move(listener)));
}

ExecHost::ExecHost(std::shared_ptr<Shared> shared, os::Fd listener)
    : shared_(std::move(shared)), listener_(std::move(listener)) {}

ExecHost::~ExecHost() {
  end_all();
  std::unique_lock hold(shared_->lock);
  shared_->changed.wait_for(hold, kClientFarewell, [&] { return shared_->threads == 0; });
}

void ExecHost::begin(ExecGround ground) { shared_->ground = std::move(ground); }

void* ExecHost::serve(void* client) {
  const std::unique_ptr<Client> own(static_cast<Client*>(client));
  own->serve();
  own->socket.reset();
  const std::lock_guard hold(own->shared->lock);
  --own->shared->threads;
  own->shared->changed.notify_all();
  return nullptr;
}

void ExecHost::take_client() {
  auto accepted = os::accept_packets(listener_.get());
  if (!accepted || !shared_->ground) return;
  {
    const std::lock_guard hold(shared_->lock);
    if (shared_->threads >= kMostThreads) return;
    ++shared_->threads;
  }
  auto client = std::make_unique<Client>(Client{shared_, std::move(*accepted)});
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, serve, client.get()) == 0) {
    (void)client.release();  // the thread owns it now
    pthread_detach(thread);
    return;
  }
  const std::lock_guard hold(shared_->lock);
  --shared_->threads;
}

void ExecHost::end_all() {
  listener_.reset();
  const std::lock_guard hold(shared_->lock);
  if (std::exchange(shared_->ended, true)) return;
  shared_->over.raise();
}

void ExecHost::settle() {
  end_all();
  std::unique_lock hold(shared_->lock);
  shared_->changed.wait_for(hold, kSettling, [&] { return shared_->running == 0; });
}

std::vector<contracts::Denial> ExecHost::take_denials() {
  const std::lock_guard hold(shared_->lock);
  return shared_->denials.take();
}

std::set<int> ExecHost::limit_signals_sent() const {
  const std::lock_guard hold(shared_->lock);
  return shared_->limit_signals;
}

bool ExecHost::reached_broker() const {
  const std::lock_guard hold(shared_->lock);
  return shared_->reached_broker;
}

}  // namespace paddock::sandbox
