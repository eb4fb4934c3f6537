#include "tests/adversarial/fake_internet.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/text.h"

namespace paddock::adversarial {
namespace {

constexpr size_t kNameAt = 12;  // of a DNS message

sockaddr_in socket_address(const std::string& address, int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, address.c_str(), &out.sin_addr);
  return out;
}

os::Fd bound(int type, const std::string& address, int port) {
  os::Fd fd(socket(AF_INET, type | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const sockaddr_in at = socket_address(address, port);
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) fd.reset();
  return fd;
}

int port_of(const os::Fd& fd) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &size);
  return ntohs(own.sin_port);
}

// The name in a question, and where its type begins.
std::string question_name(std::string_view message, size_t& end) {
  std::string out;
  size_t at = kNameAt;
  while (at < message.size() && message[at] != 0) {
    const auto length = static_cast<size_t>(static_cast<unsigned char>(message[at]));
    if (!out.empty()) out += '.';
    out += message.substr(at + 1, length);
    at += 1 + length;
  }
  end = at + 1;
  return out;
}

}  // namespace

// Suites that run at the same time have other addresses.
FakeInternet::FakeInternet()
    : address_(cat("127.77.", getpid() / 250 % 250, ".", 1 + getpid() % 250)),
      other_address_(cat("127.78.", getpid() / 250 % 250, ".", 1 + getpid() % 250)),
      names_fd_(bound(SOCK_DGRAM, address_, 0)),
      names_port_(port_of(names_fd_)),
      wake_(std::move(os::make_pipe()).value()),
      thread_([this] { run(); }) {}

FakeInternet::~FakeInternet() {
  stop_ = true;
  (void)!write(wake_.write.get(), "x", 1);
  thread_.join();
}

std::string FakeInternet::name_server() const { return cat(address_, ":", names_port_); }

void FakeInternet::set_name(const std::string& name, std::vector<std::string> answers) {
  const std::lock_guard lock(mutex_);
  names_[name] = std::move(answers);
}

int FakeInternet::serve(const std::string& address, int port, const std::string& reply,
                        bool stays) {
  Server server{bound(SOCK_STREAM, address, port), address, reply, stays};
  if (!server.fd.valid() || listen(server.fd.get(), 1024) != 0) return 0;
  const int got = port_of(server.fd);
  const std::lock_guard lock(mutex_);
  servers_.push_back(std::move(server));
  (void)!write(wake_.write.get(), "x", 1);
  return got;
}

int FakeInternet::connections(const std::string& address) const {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(address);
  return found == connections_.end() ? 0 : found->second;
}

int FakeInternet::questions(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = questions_.find(name);
  return found == questions_.end() ? 0 : found->second;
}

// A client that asks the same again has given up its earlier question. Of the questions that came
// while this thread had no processor, only the last one is answered and counted.
void FakeInternet::answer_names() {
  std::map<std::string, Question> asked;
  std::array<char, 1024> bytes;
  for (;;) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t n = recvfrom(names_fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT,
                               reinterpret_cast<sockaddr*>(&from), &size);
    if (n < static_cast<ssize_t>(kNameAt)) break;
    const std::string message(bytes.data(), static_cast<size_t>(n));
    asked[message.substr(kNameAt)] = {message, from};
  }
  for (const auto& [what, question] : asked) answer(question);
}

void FakeInternet::answer(const Question& question) {
  const std::string_view message = question.message;
  size_t type_at = 0;
  const std::string name = question_name(message, type_at);
  const bool asks_four = type_at + 1 < message.size() && message[type_at + 1] == 1;
  std::string reply(message.substr(0, type_at + 4));
  const auto known = names_.find(name);
  const bool silent = known != names_.end() && known->second == std::vector<std::string>{"SILENCE"};
  if (silent) return;
  const bool fails = known != names_.end() && known->second == std::vector<std::string>{"SERVFAIL"};
  const bool has = known != names_.end() && asks_four && !fails && !known->second.empty();
  reply[2] = '\x81';
  reply[3] = known == names_.end() ? '\x83' : fails ? '\x82' : '\x80';
  reply.replace(6, 6, std::string(6, '\0'));
  if (has) {
    const auto turn = static_cast<size_t>(questions_[name]++);
    const std::string& text = known->second[std::min(turn, known->second.size() - 1)];
    in_addr four{};
    inet_pton(AF_INET, text.c_str(), &four);
    reply[7] = 1;
    reply += std::string("\xc0\x0c\0\1\0\1\0\0\0\1\0\4", 12);
    reply.append(reinterpret_cast<const char*>(&four), sizeof four);
  }
  (void)sendto(names_fd_.get(), reply.data(), reply.size(), 0,
               reinterpret_cast<const sockaddr*>(&question.from), sizeof question.from);
}

void FakeInternet::accept_guest(const Server& server) {
  os::Fd guest(accept4(server.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!guest.valid()) return;
  ++connections_[server.address];
  guests_.push_back({std::move(guest), server.reply, server.stays});
}

// False when it is done.
bool FakeInternet::serve_guest(const Guest& guest) {
  std::array<char, 16 << 10> bytes;
  if (recv(guest.fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0) return false;
  (void)send(guest.fd.get(), guest.reply.data(), guest.reply.size(), MSG_NOSIGNAL);
  return guest.stays;
}

void FakeInternet::run() {
  while (!stop_) {
    std::vector<pollfd> fds = {{wake_.read.get(), POLLIN, 0}, {names_fd_.get(), POLLIN, 0}};
    size_t servers = 0;
    {
      const std::lock_guard lock(mutex_);
      servers = servers_.size();
      for (const Server& server : servers_) fds.push_back({server.fd.get(), POLLIN, 0});
      for (const Guest& guest : guests_) fds.push_back({guest.fd.get(), POLLIN, 0});
    }
    poll(fds.data(), fds.size(), -1);
    const std::lock_guard lock(mutex_);
    std::array<char, 64> woken;
    if (fds[0].revents != 0) (void)!read(wake_.read.get(), woken.data(), woken.size());
    if (fds[1].revents != 0) answer_names();
    for (size_t i = guests_.size(); i-- > 0;) {
      if (fds[2 + servers + i].revents != 0 && !serve_guest(guests_[i]))
        guests_.erase(guests_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (size_t i = 0; i < servers; ++i) {
      if (fds[2 + i].revents != 0) accept_guest(servers_[i]);
    }
  }
}

}  // namespace paddock::adversarial
