#include "cli/terminal/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace paddock::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> g_write_fd{-1};  // the handler can be given nothing
std::atomic<int> g_reading{0};    // files

void forward(int signal) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(signal);
  const int fd = g_write_fd.load();
  if (fd >= 0 && ::write(fd, &byte, 1) < 0) errno = saved;  // a full pipe has enough signals in it
  errno = saved;
}

// Signals that are ignored already stay ignored: `nohup` asked for that.
void set_all(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
}

// Until a zero byte or the end of the pipe.
void deliver(int fd, const Interrupts::Handler& on_signal) {
  int count = 0;
  for (;;) {
    unsigned char byte = 0;
    const ssize_t got = ::read(fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || byte == 0) return;
    if (g_reading.load() > 0) ::_exit(128 + byte);
    on_signal(byte, ++count);
  }
}

}  // namespace

ReadingFile::ReadingFile() { g_reading.fetch_add(1); }
ReadingFile::~ReadingFile() { g_reading.fetch_sub(1); }

Result<std::unique_ptr<Interrupts>> Interrupts::start(Handler on_signal) {
  ASSIGN_OR_RETURN(os::Pipe pipe, os::make_pipe());
  return std::unique_ptr<Interrupts>(new Interrupts(std::move(pipe), std::move(on_signal)));
}

Interrupts::Interrupts(os::Pipe pipe, Handler on_signal) : pipe_(std::move(pipe)) {
  thread_ = std::thread(
      [fd = pipe_.read.get(), handler = std::move(on_signal)] { deliver(fd, handler); });
  g_write_fd = pipe_.write.get();
  set_all(forward);
}

Interrupts::~Interrupts() {
  set_all(SIG_DFL);
  g_write_fd = -1;
  pipe_.write.reset();
  thread_.join();
}

}  // namespace paddock::cli
