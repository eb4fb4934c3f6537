// Tests of a network by names: what a sandbox of theirs may reach is on this host.
#pragma once

#include <string>
#include <vector>

#include "tests/adversarial/fake_internet.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {

// ask(): what a server answers to these bytes, or the error. tls(): a ClientHello for this name.
inline constexpr std::string_view kTools = R"(
import socket, ssl, time
def get(host): return b'GET / HTTP/1.1\r\nHost: ' + host.encode() + b'\r\n\r\n'
def tls(name):
    out = ssl.MemoryBIO()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    session = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    try: session.do_handshake()
    except ssl.SSLWantReadError: pass
    return out.read()
def ask(host, port, data):
    got = b''
    try:
        with socket.create_connection((host, port), 300) as s:
            s.sendall(data)
            while True:
                more = s.recv(4096)
                if not more: return got.decode()
                got += more
    except OSError as error: return got.decode() + type(error).__name__
)";

template <class Base>
class Networked : public Base {
 protected:
  void SetUp() override {
    Base::SetUp();
    if (this->IsSkipped() || this->HasFatalFailure()) return;
    if (outside_.serve(outside_.address(), 80, kWeb) == 0 ||
        outside_.serve(outside_.address(), 443, kSecure) == 0)
      GTEST_SKIP() << "ports 80 and 443 cannot be listened on here";
    outside_.set_name("web.test", {outside_.address()});
  }

  contracts::LaunchRequest networked(std::vector<std::string> domains,
                                     std::vector<std::string> command) const {
    contracts::LaunchRequest out = this->request(std::move(command));
    out.policy.network = contracts::NetworkPolicy{true, std::move(domains)};
    // The broker waits seconds for each server, and so does the program's own resolver: on a busy
    // machine the thread that answers is given no processor for longer. No more may be named.
    const std::string server = outside_.name_server();
    out.network = contracts::NetworkSettings{{server, server, server}, {"127.77.0.0/16"}};
    out.env["RES_OPTIONS"] = "timeout:30 attempts:5";
    out.policy.limits.open_files = 4096;
    return out;
  }
  contracts::LaunchRequest script(std::vector<std::string> domains, const std::string& code) const {
    return networked(std::move(domains), {"python3", "-c", cat(kTools, code)});
  }
  Finished python_with(std::vector<std::string> domains, const std::string& code) {
    Finished done = this->run(script(std::move(domains), code));
    EXPECT_TRUE(done.result.has_value());
    if (!done.result) done.result.emplace();
    EXPECT_EQ(done.result->status, contracts::SandboxStatus::kOk)
        << done.result->reason << done.err;
    return done;
  }

  static constexpr const char* kWeb = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nweb!";
  static constexpr const char* kSecure = "secure!";
  FakeInternet outside_;
};

inline const contracts::Denial* find_denial(const Finished& done, std::string_view what,
                                            std::string_view target) {
  for (const contracts::Denial& denial : done.result->denials) {
    if (denial.what == what && denial.target.find(target) != std::string::npos) return &denial;
  }
  return nullptr;
}

inline std::string denials_of(const Finished& done) {
  std::string out;
  for (const contracts::Denial& denial : done.result->denials)
    out += cat(denial.what, " | ", denial.target, " | ", denial.rule, " x", denial.count, "\n");
  return out;
}

}  // namespace paddock::adversarial
