// A network by names: what it gives to honest programs, and that nothing else is reached.
#include "tests/adversarial/network_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;
using testing::Not;

class Network : public Networked<SandboxTest> {};
INSTANTIATE_TEST_SUITE_P(, Network, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-23
TEST_P(Network, ReachesAnAllowedNameOverHttpAndTls) {
  const Finished done = python_with({"web.test"}, R"(
import urllib.request
print(urllib.request.urlopen('http://web.test/').read())
print(ask('web.test', 443, tls('web.test')))
)");
  EXPECT_EQ(done.out, "b'web!'\nsecure!\n");
  EXPECT_EQ(denials_of(done), "");
  const auto& flows = done.result->usage.network;
  ASSERT_EQ(flows.size(), 2u);
  for (const contracts::NetworkFlow& flow : flows) {
    EXPECT_EQ(flow.name, "web.test");
    EXPECT_EQ(flow.address, outside_.address());
    EXPECT_EQ(flow.connections, 1);
    EXPECT_GT(flow.sent_bytes, 0);
    EXPECT_GT(flow.received_bytes, 0);
  }
  const contracts::Enforcement& network = done.result->enforced.at("network");
  EXPECT_TRUE(network.applied);
  EXPECT_EQ(network.level, contracts::EnforcementLevel::kBroker);
  EXPECT_EQ(network.requested, wire::Value("web.test"));
}

// proves: WSM-23, WSM-85
TEST_P(Network, RefusesOtherNamesPortsAndAddressesAndNamesEach) {
  outside_.set_name("other.test", {outside_.address()});
  const Finished done =
      python_with({"web.test"}, cat(R"(
print(ask('other.test', 80, get('other.test')))
print(ask('web.test', 8080, get('web.test')))
print(ask(')",
                                    outside_.address(), R"(', 80, get('web.test')))
print(ask('93.184.216.34', 443, tls('web.test')))
print(ask('2606:2800:220:1::1', 443, tls('web.test')))
print(ask('169.254.169.254', 80, get('web.test')))
)"));
  EXPECT_THAT(done.out, Not(HasSubstr("web!")));
  EXPECT_THAT(done.out, Not(HasSubstr("secure!")));
  EXPECT_EQ(outside_.connections(outside_.address()), 0);
  EXPECT_EQ(outside_.questions("other.test"), 0);
  EXPECT_TRUE(find_denial(done, "name lookup", "other.test")) << denials_of(done);
  EXPECT_TRUE(find_denial(done, "network connect", "web.test:8080")) << denials_of(done);
  EXPECT_TRUE(find_denial(done, "network connect", cat(outside_.address(), ":80")))
      << denials_of(done);
  for (const char* target : {"93.184.216.34:443", "[2606:2800:220:1::1]:443", "169.254.169.254:80"})
    EXPECT_TRUE(find_denial(done, "network connect", target)) << denials_of(done);
}

TEST_P(Network, ChecksWhoIsMeantInTheFirstBytes) {
  const Finished done = python_with({"web.test"}, R"(
print(ask('web.test', 80, get('hidden.test')))
print(ask('web.test', 80, b'GET / HTTP/1.1\r\nHost: web.test\r\nHost: hidden.test\r\n\r\n'))
print(ask('web.test', 80, b'CONNECT hidden.test:443 HTTP/1.1\r\nHost: web.test\r\n\r\n'))
print(ask('web.test', 443, tls('hidden.test')))
print(ask('web.test', 443, tls(None)))
print(ask('web.test', 443, get('web.test')))
)");
  EXPECT_THAT(done.out, Not(HasSubstr("!"))) << done.out;
  EXPECT_EQ(outside_.connections(outside_.address()), 0);
  EXPECT_TRUE(find_denial(done, "network connect", "hidden.test:80 by way of web.test"))
      << denials_of(done);
  EXPECT_TRUE(find_denial(done, "network connect", "hidden.test:443 by way of web.test"))
      << denials_of(done);
  int64_t refused = 0;
  for (const contracts::Denial& denial : done.result->denials) refused += denial.count;
  EXPECT_EQ(refused, 6) << denials_of(done);
}

// proves: WSM-23
// The broker sees no process, the supervisor sees who turned to it.
TEST_P(Network, ARefusedNameIsSomeProgramsOrNobodys) {
  const std::string lookup =
      "import socket\n"
      "try: socket.getaddrinfo('other.test', 80)\n"
      "except OSError: pass\n";
  const Finished alone = python_with({"web.test"}, lookup);
  const contracts::Denial* denial = find_denial(alone, "name lookup", "other.test");
  ASSERT_NE(denial, nullptr) << denials_of(alone);
  EXPECT_THAT(denial->executable, HasSubstr("/usr/bin/python3"));
  const Finished both = python_with(
      {"web.test"}, lookup + "import subprocess\nsubprocess.run(['getent', 'ahosts', 'x.test'])\n");
  for (const char* name : {"other.test", "x.test"}) {
    denial = find_denial(both, "name lookup", name);
    ASSERT_NE(denial, nullptr) << denials_of(both);
    EXPECT_EQ(denial->executable, "");
  }
}

TEST_P(Network, ARedirectLeadsNoFurtherThanThePolicy) {
  const int port = outside_.serve(outside_.address(), 0,
                                  "HTTP/1.1 302 Found\r\nLocation: http://hidden.test/\r\n"
                                  "Content-Length: 0\r\n\r\n");
  outside_.set_name("hidden.test", {outside_.address()});
  const Finished done = python_with({cat("web.test:", port), "web.test"}, cat(R"(
import urllib.request
try: print(urllib.request.urlopen('http://web.test:)",
                                                                              port, R"(/').read())
except OSError: print('stopped')
)"));
  EXPECT_EQ(done.out, "stopped\n");
  EXPECT_EQ(outside_.connections(outside_.address()), 1);
  EXPECT_EQ(outside_.questions("hidden.test"), 0);
  EXPECT_TRUE(find_denial(done, "name lookup", "hidden.test")) << denials_of(done);
}

TEST_P(Network, LeadsToNoPrivateAddressThatTheOperatorDidNotAllow) {
  outside_.serve(outside_.other_address(), 80, kWeb);
  const std::vector<std::string> hidden = {
      "127.0.0.1",       "10.0.0.1",   "172.16.0.1", "192.168.1.1",
      "169.254.169.254", "100.64.0.1", "0.0.0.0",    outside_.other_address()};
  std::string code;
  for (size_t i = 0; i < hidden.size(); ++i) {
    const std::string name = cat("n", i, ".inner.test");
    outside_.set_name(name, {hidden[i]});
    code += cat("print(ask('", name, "', 80, get('", name, "')))\n");
  }
  const Finished done = python_with({"*.inner.test"}, code);
  EXPECT_THAT(done.out, Not(HasSubstr("web!")));
  EXPECT_EQ(outside_.connections(outside_.other_address()), 0);
  for (size_t i = 0; i < hidden.size(); ++i) {
    const contracts::Denial* denial =
        find_denial(done, "network connect", cat("n", i, ".inner.test:80 at ", hidden[i]));
    ASSERT_NE(denial, nullptr) << denials_of(done);
    EXPECT_THAT(denial->rule, HasSubstr("not public"));
    EXPECT_THAT(denial->remedy, HasSubstr("network.allowRanges"));
  }
}

// proves: WSM-23
TEST_P(Network, ANameThatChangesItsMindIsNotFollowed) {
  outside_.serve(outside_.other_address(), 80, "HTTP/1.1 200 OK\r\n\r\nhidden");
  outside_.set_name("flip.test", {outside_.address(), outside_.other_address()});
  // Nobody listens at the first address: the name is asked for again, under the same rules.
  outside_.set_name("dead.test", {"127.77.255.254", outside_.other_address()});
  const Finished done = python_with({"flip.test", "dead.test"}, R"(
for host in ('flip.test', 'flip.test', 'dead.test', 'dead.test'):
    print(ask(host, 80, get(host)))
)");
  EXPECT_THAT(done.out, Not(HasSubstr("hidden")));
  EXPECT_EQ(outside_.connections(outside_.address()), 2);
  EXPECT_EQ(outside_.connections(outside_.other_address()), 0);
  EXPECT_EQ(outside_.questions("flip.test"), 1);
  EXPECT_TRUE(
      find_denial(done, "network connect", cat("dead.test:80 at ", outside_.other_address())))
      << denials_of(done);
}

const contracts::NetworkFlow* find_flow(const Finished& done, std::string_view name) {
  for (const contracts::NetworkFlow& flow : done.result->usage.network) {
    if (flow.name == name) return &flow;
  }
  return nullptr;
}

// proves: WSM-23
// The policy has no part in it: no denial, and the name service says what it knows.
TEST_P(Network, AnAllowedNameThatTheNodeCannotResolveIsToldAsThat) {
  outside_.set_name("bare.test", {});
  const Finished done = python_with({"gone.test", "bare.test"}, R"(
for name in ('gone.test', 'bare.test'):
    try: print(socket.getaddrinfo(name, 80))
    except socket.gaierror as error: print(name, error.errno in (socket.EAI_NONAME, socket.EAI_NODATA))
)");
  EXPECT_EQ(done.out, "gone.test True\nbare.test True\n");
  EXPECT_EQ(denials_of(done), "");
  const contracts::NetworkFlow* flow = find_flow(done, "gone.test");
  ASSERT_NE(flow, nullptr);
  const std::string no_name = flow->problem;
  EXPECT_THAT(no_name, HasSubstr("name servers"));
  flow = find_flow(done, "bare.test");
  ASSERT_NE(flow, nullptr);
  EXPECT_THAT(flow->problem, HasSubstr("name servers"));
  EXPECT_NE(flow->problem, no_name) << "a name without an address is another thing";
}

TEST_P(Network, ANameServerOfTheNodeThatFailsIsToldAsThat) {
  outside_.set_name("broken.test", {"SERVFAIL"});
  contracts::LaunchRequest launch = script({"broken.test"}, R"(
try: print(socket.getaddrinfo('broken.test', 80))
except socket.gaierror as error: sys.exit(7 if error.errno == socket.EAI_AGAIN else 8)
)");
  launch.command[2].insert(0, "import sys\n");
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->rc, 7) << done.out << done.err;
  EXPECT_THAT(done.result->reason, HasSubstr("broken.test "));
  EXPECT_EQ(denials_of(done), "");
}

// The program's patience is over before that of the broker is. Where the broker is given no
// processor for as long as that, it has more.
TEST_P(Network, ANameServerOfTheNodeThatSaysNothingIsToldAsThat) {
  outside_.set_name("silent.test", {"SILENCE"});
  for (const int patience : {4, 30}) {
    const Finished done = python_with({"silent.test"}, cat("PATIENCE = ", patience, R"(
import os
os.environ['RES_OPTIONS'] = f'timeout:{PATIENCE} attempts:1'
try: print(socket.getaddrinfo('silent.test', 80))
except socket.gaierror as error: print(error.errno == socket.EAI_AGAIN)
)"));
    EXPECT_EQ(done.out, "True\n");
    EXPECT_EQ(denials_of(done), "");
    const contracts::NetworkFlow* flow = find_flow(done, "silent.test");
    if (flow == nullptr && patience < 30) continue;
    ASSERT_NE(flow, nullptr);
    EXPECT_THAT(flow->problem, HasSubstr("name server"));
    break;
  }
}

TEST_P(Network, ARequestToAServerThatIsNotThereIsAnswered) {
  outside_.set_name("dead.test", {"127.77.255.253"});
  const Finished done = python_with({"dead.test"}, R"(
print(ask('dead.test', 80, get('dead.test')))
print(ask('dead.test', 80, b'POST / HTTP/1.1\r\nHost: dead.test\r\n\r\n' + b'x' * 100000))
print(ask('dead.test', 443, tls('dead.test')))
)");
  EXPECT_THAT(done.out, HasSubstr("HTTP/1.1 502 Bad Gateway"));
  for (const char* words : {"dead.test:80", "127.77.255.253:80", "Connection refused"})
    EXPECT_THAT(done.out, HasSubstr(words));
  EXPECT_THAT(done.out, HasSubstr("ConnectionResetError"));
  EXPECT_EQ(denials_of(done), "");
  const contracts::NetworkFlow* flow = find_flow(done, "dead.test");
  ASSERT_NE(flow, nullptr);
  EXPECT_EQ(flow->failures, 2);
  EXPECT_THAT(flow->problem, HasSubstr("Connection refused"));
}

TEST_P(Network, HasNoOtherWayOutThanTheBroker) {
  const Finished done = run(networked({"web.test"}, probe("network", {"broker"})));
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  EXPECT_THAT(done.out, HasSubstr("CONTAINED"));
  EXPECT_THAT(done.out, Not(HasSubstr("BREACH")));
  EXPECT_TRUE(find_denial(done, "network send", "1.1.1.1:443")) << denials_of(done);
  EXPECT_TRUE(find_denial(done, "socket", "raw socket")) << denials_of(done);
}

// The sandbox's own servers and clients meet on its loopback device.
TEST_P(Network, LocalServersWorkInside) {
  const Finished done = python_with({"web.test"}, R"(
import threading
listener = socket.create_server(('127.0.0.1', 0))
def serve():
    peer, _ = listener.accept()
    peer.sendall(b'inner')
    peer.close()
threading.Thread(target=serve).start()
print(ask('localhost', listener.getsockname()[1], b''))
)");
  EXPECT_EQ(done.out, "inner\n");
  EXPECT_EQ(denials_of(done), "");
}

}  // namespace
}  // namespace paddock::adversarial
