#include "cli/terminal/raw_terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>
#include <vector>

#include "common/base/error.h"
#include "common/os/deadly_signals.h"

namespace paddock::cli {
namespace {

constexpr int kMostSide = 4096;  // of a window that anybody believes

std::atomic<int> g_raw_fd{-1};  // a handler can be given nothing
termios g_before;               // these two are set while g_raw_fd is
termios g_raw;
std::atomic<int> g_changes_fd{-1};

void restore_and_die(int signal) {
  restore_terminal();
  ::raise(signal);  // the handler is set for one signal, and so is the default's again
}

void note_change(int) {
  const int saved = errno;
  const char byte = 1;
  const int fd = g_changes_fd.load();
  if (fd >= 0 && ::write(fd, &byte, 1) < 0) errno = saved;  // a full pipe says it already
  errno = saved;
}

// Another program had the terminal meanwhile, and may have changed its settings; its user may have
// moved the window.
void make_raw_again(int signal) {
  const int saved = errno;
  if (const int fd = g_raw_fd.load(); fd >= 0) {
    (void)::tcsetattr(fd, TCSANOW, &g_raw);
    if (g_raw_fd.load() < 0) (void)::tcsetattr(fd, TCSANOW, &g_before);  // it ended meanwhile
  }
  note_change(signal);
  errno = saved;
}

// stop_restored() makes the terminal raw again itself, once the next stop would be heard.
std::atomic<bool> g_stopping{false};

void go_on(int signal) {
  if (!g_stopping.load()) make_raw_again(signal);
}

// Others have the terminal as it was while we are stopped.
void stop_restored(int signal) {
  const int saved = errno;
  g_stopping.store(true);
  if (const int fd = g_raw_fd.load(); fd >= 0) (void)::tcsetattr(fd, TCSANOW, &g_before);
  struct sigaction usual = {};
  struct sigaction ours = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, &ours);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::raise(signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // here we stop, until somebody continues us
  ::sigaction(signal, &ours, nullptr);
  g_stopping.store(false);
  make_raw_again(signal);
  errno = saved;
}

// Signals that are ignored stay ignored, and afterwards each handler is what it was before.
class Handlers {
 public:
  void set() {
    for (const int each : os::deadly_signals()) set(each, restore_and_die, SA_RESETHAND);
    set(SIGTSTP, stop_restored, SA_RESTART);
    set(SIGCONT, go_on, SA_RESTART);
  }
  void reset() {
    for (const auto& [signal, former] : former_) ::sigaction(signal, &former, nullptr);
    former_.clear();
  }

 private:
  template <class Flags>
  void set(int signal, void (*handler)(int), Flags flags) {
    struct sigaction former = {};
    if (::sigaction(signal, nullptr, &former) != 0 || former.sa_handler == SIG_IGN) return;
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(flags);
    if (::sigaction(signal, &action, nullptr) == 0) former_.emplace_back(signal, former);
  }
  std::vector<std::pair<int, struct sigaction>> former_;
};
Handlers g_handlers;  // one RawTerminal at a time has them

bool ask_size(int fd, WindowSize& out) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return false;
  out = {std::min<int>(size.ws_row, kMostSide), std::min<int>(size.ws_col, kMostSide)};
  return true;
}

}  // namespace

std::unique_ptr<RawTerminal> RawTerminal::begin(int fd) {
  if (g_raw_fd.load() >= 0 || ::tcgetattr(fd, &g_before) != 0) return nullptr;
  g_raw = g_before;
  ::cfmakeraw(&g_raw);
  g_raw_fd = fd;
  g_handlers.set();
  if (::tcsetattr(fd, TCSANOW, &g_raw) != 0) {
    g_handlers.reset();
    g_raw_fd = -1;
    return nullptr;
  }
  return std::unique_ptr<RawTerminal>(new RawTerminal);
}

RawTerminal::~RawTerminal() {
  restore_terminal();
  g_handlers.reset();
}

// Text that was typed ahead stays for the next reader.
void restore_terminal() {
  const int fd = g_raw_fd.exchange(-1);
  if (fd >= 0) (void)::tcsetattr(fd, TCSANOW, &g_before);
}

WindowSize window_size(int first, int second) {
  WindowSize out;
  if (!ask_size(first, out)) (void)ask_size(second, out);
  return out;
}

Result<std::unique_ptr<WindowChanges>> WindowChanges::start() {
  ASSIGN_OR_RETURN(os::Pipe pipe, os::make_pipe());
  for (const os::Fd* end : {&pipe.read, &pipe.write}) {
    if (::fcntl(end->get(), F_SETFL, O_NONBLOCK) != 0)
      return system_error("watching the window's size", errno);
  }
  g_changes_fd = pipe.write.get();
  struct sigaction action = {};
  action.sa_handler = note_change;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGWINCH, &action, nullptr);
  return std::unique_ptr<WindowChanges>(new WindowChanges(std::move(pipe)));
}

WindowChanges::~WindowChanges() {
  ::signal(SIGWINCH, SIG_DFL);
  g_changes_fd = -1;
}

void WindowChanges::clear() const {
  std::array<char, 64> bytes;
  while (::read(pipe_.read.get(), bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace paddock::cli
