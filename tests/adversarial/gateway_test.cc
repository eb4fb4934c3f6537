// The gateway of a tool token: it leads to the controller's port and nowhere else, and whatever is
// sent through it stands behind the header that says whose it is.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/network_fixture.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kUid = "0190f5a0-1234-7abc-8def-0123456789ab";

// Stands for a controller: sends back all that it was sent, once the client has sent all.
class Mirror {
 public:
  Mirror() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&name), size), 0);
    EXPECT_EQ(::listen(fd_.get(), 64), 0);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&name), &size);
    port_ = ntohs(name.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Mirror() {
    ::shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
  }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;
  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void serve() {
    for (;;) {
      const os::Fd client(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.valid()) return;
      ++connections_;
      std::string all;
      char bytes[4096];
      for (ssize_t got = 0; (got = ::recv(client.get(), bytes, sizeof bytes, 0)) > 0;)
        all.append(bytes, static_cast<size_t>(got));
      (void)::send(client.get(), all.data(), all.size(), MSG_NOSIGNAL);
    }
  }

  os::Fd fd_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

// ask(): what comes back of these bytes, without the header that went before them.
constexpr std::string_view kAsk = R"(
import os, socket
HEADER = b'\r\n\r\n\0\r\nQUIT\n\x20\0\0\x27\xe0\0\x24' + b'0190f5a0-1234-7abc-8def-0123456789ab'
def ask(host, port, data=b'hello'):
    got = b''
    try:
        with socket.create_connection((host, port), 300) as s:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            while True:
                more = s.recv(4096)
                if not more: break
                got += more
    except OSError as error: return type(error).__name__
    return got[len(HEADER):].decode() if got.startswith(HEADER) else 'no header: ' + repr(got)
)";

template <class Base>
class WithGateway : public Base {
 protected:
  contracts::LaunchRequest script(const std::string& host, const std::string& code) const {
    contracts::LaunchRequest out =
        this->request({"python3", "-c", cat(kAsk, "PORT = ", mirror_.port(), "\n", code)});
    out.policy.network = contracts::NetworkPolicy{.loopback = false};
    out.tool_gateway = {host, mirror_.port(), {"127.0.0.1"}, kUid, "the CA\n"};
    return out;
  }
  Finished python_by(const std::string& host, const std::string& code) {
    return finish(script(host, code));
  }
  Finished finish(const contracts::LaunchRequest& request) {
    Finished done = this->run(request);
    EXPECT_TRUE(done.result.has_value());
    if (!done.result) done.result.emplace();
    EXPECT_EQ(done.result->status, contracts::SandboxStatus::kOk)
        << done.result->reason << done.err;
    return done;
  }
  Mirror mirror_;
};

class Gateway : public WithGateway<SandboxTest> {};
INSTANTIATE_TEST_SUITE_P(, Gateway, testing::Values(As::kRoot, As::kUser), name_of);

// proves: OD-67
TEST_P(Gateway, TheControllersOwnUrlLeadsToItWithoutANetwork) {
  for (const char* host : {"127.0.0.1", "localhost", "sandbox", "controller.example",
                           "code_execution", "192.0.2.7", "::1", "2001:db8::7"}) {
    const Finished done = python_by(
        host, cat("print(ask('", host, "', PORT)); print(open('/run/paddock/ca.pem').read())"));
    EXPECT_EQ(done.out, "hello\nthe CA\n\n") << host << denials_of(done);
    const contracts::Enforcement& gateway = done.result->enforced.at("toolGateway");
    EXPECT_TRUE(gateway.applied);
    EXPECT_EQ(gateway.requested, wire::Value(cat(host, ":", mirror_.port())));
    ASSERT_EQ(done.result->usage.network.size(), 1U) << host;
    EXPECT_EQ(done.result->usage.network[0].name, host);
  }
}

TEST_P(Gateway, NothingElseIsReachedWithIt) {
  Mirror other;
  const Finished done = python_by("127.0.0.1", cat("OTHER = ", other.port(), R"(
print(ask('127.0.0.1', OTHER))
print(ask('127.0.0.2', PORT))
print(ask('0.0.0.0', PORT))
print(ask('127.64.0.1', PORT))
print(ask('::1', PORT))
print(ask('192.0.2.1', PORT))
print(ask('controller.example', PORT))
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
    with socket.socket(type=kind) as s:
        try: print(s.bind(('127.0.0.1', OTHER)))
        except OSError as error: print(type(error).__name__)
        try: print(s.listen())
        except OSError as error: print(type(error).__name__)
print(os.path.exists('/etc/resolv.conf'))
)"));
  EXPECT_THAT(done.out, Not(HasSubstr("hello"))) << done.out;
  EXPECT_THAT(done.out, Not(HasSubstr("None"))) << done.out;
  EXPECT_EQ(other.connections(), 0);
  EXPECT_EQ(mirror_.connections(), 0);
  for (const std::string& target :
       {cat("127.0.0.1:", other.port()), cat("127.0.0.2:", mirror_.port()),
        cat("[::1]:", mirror_.port()), cat("192.0.2.1:", mirror_.port())})
    EXPECT_TRUE(find_denial(done, "network connect", target)) << denials_of(done);
}

// A header of its own comes second, where it is no header.
TEST_P(Gateway, WhateverIsSentStandsBehindItsHeader) {
  const Finished done = python_by("127.0.0.1", R"(
print(ask('127.0.0.1', PORT, b''))
print(ask('127.0.0.1', PORT, HEADER[:12]).encode() == HEADER[:12])
print(ask('127.0.0.1', PORT, b'x' * 300000) == 'x' * 300000)
)");
  EXPECT_EQ(done.out, "\nTrue\nTrue\n");
}

TEST_P(Gateway, HasFewConnectionsAtOnce) {
  const Finished done = python_by("127.0.0.1", R"(
import select
held, ended = [], 0
for _ in range(64):
    try: held.append(socket.create_connection(('127.0.0.1', PORT), 300))
    except ConnectionResetError: ended += 1
while ended < 48:
    for s in select.select(held, [], [])[0]:
        held.remove(s); s.close(); ended += 1
print(len(held))
)");
  EXPECT_EQ(done.out, "16\n");
  EXPECT_TRUE(find_denial(done, "network connect", cat("127.0.0.1:", mirror_.port())))
      << denials_of(done);
}

TEST_P(Gateway, GoesWithALoopbackOfItsOwn) {
  contracts::LaunchRequest request = script("controller.example", R"(
server = socket.create_server(('127.0.0.1', PORT))
client = socket.create_connection(('127.0.0.1', PORT))
server.accept()[0].sendall(b'inner')
print(client.recv(5).decode(), ask('controller.example', PORT))
for host in ('127.0.0.2', '0.0.0.0'):
    with socket.socket() as s:
        try: print(s.bind((host, PORT)))
        except OSError as error: print(error.strerror)
)");
  request.policy.network = contracts::NetworkPolicy{.loopback = true};
  EXPECT_EQ(finish(request).out, "inner hello\nAddress already in use\nAddress already in use\n");
}

// A child, a grandchild and an exec'd program have it; who has no token's gateway has none.
TEST_P(Gateway, IsThereForAllOfTheRunAndNobodyElse) {
  const Finished done = python_by("127.0.0.1", R"(
import subprocess, sys
print(subprocess.run([sys.executable, '-c', f'''
import socket
with socket.create_connection(('127.0.0.1', {PORT})) as s:
    s.shutdown(1); print(len(s.recv(100)))
'''], capture_output=True, text=True).stdout, end='')
)");
  EXPECT_EQ(done.out, "55\n");
  contracts::LaunchRequest without = script("127.0.0.1", "print(ask('127.0.0.1', PORT))");
  without.tool_gateway.reset();
  EXPECT_EQ(finish(without).out, "OSError\n");
}

class ServedGateway : public WithGateway<ServeTest> {};
INSTANTIATE_TEST_SUITE_P(, ServedGateway, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServedGateway, IsItsRunsAndTheNextOneHasNothingOfIt) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(python_by("192.0.2.7", "print(ask('192.0.2.7', PORT))").out, "hello\n");
    contracts::LaunchRequest next = script("", R"(
print(ask('192.0.2.7', PORT), ask('127.0.0.1', PORT))
with socket.socket() as s:
    try: print(s.bind(('192.0.2.7', 0)))
    except OSError as error: print(type(error).__name__)
)");
    next.tool_gateway.reset();
    next.policy.network = contracts::NetworkPolicy{.loopback = true};
    EXPECT_EQ(finish(next).out, "OSError ConnectionRefusedError\nPermissionError\n");
  }
  EXPECT_EQ(mirror_.connections(), 2);
}

}  // namespace
}  // namespace paddock::adversarial
