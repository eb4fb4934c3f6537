#include "common/http/lead_watch.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/http_server.h"

namespace paddock::http {
namespace {

using test::answer;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;

constexpr SilenceTimes kTimes{Millis(20), Millis(60), Millis(200), Millis(20)};
constexpr MonoTime kStart{1'000'000};

TEST(Silence, OfAServerThatWasHeardIsAskedAboutLater) {
  Silence server;
  server.heard(kStart);
  EXPECT_EQ(server.asks_at(kTimes), kStart + kTimes.asks);
  EXPECT_EQ(server.patience(kTimes), kTimes.to_answer);
  server.heard(kStart + Millis(50));
  server.heard(kStart);
  EXPECT_EQ(server.asks_at(kTimes), kStart + Millis(50) + kTimes.asks)
      << "what is older is no news";
}

TEST(Silence, OfAServerThatGaveNoSignOfLifeIsLookedAtSoonUntilItGivesOne) {
  Silence server;
  server.heard(kStart);
  const MonoTime asked = kStart + Millis(300);
  server.unanswered(asked);
  EXPECT_EQ(server.asks_at(kTimes), asked + kTimes.again);
  EXPECT_EQ(server.patience(kTimes), kTimes.again);
  server.heard(kStart);
  EXPECT_EQ(server.asks_at(kTimes), asked + kTimes.again) << "what it said before is no sign";
  server.heard(asked + Millis(1));
  EXPECT_EQ(server.asks_at(kTimes), asked + Millis(1) + kTimes.asks);
}

// Says nothing to who waits, as a process that is stopped, or an idle one.
struct OneOfTwo {
  std::atomic<bool> lives{true};
  std::atomic<bool> leads{false};
  std::atomic<int> looks{0};   // whether it lives
  std::atomic<int> doubts{0};  // whether it leads
  std::atomic<int> held{0};
  HttpServer server{[this](const HttpRequest& request) { return reply(request); }};

  HttpAnswer reply(const HttpRequest& request) {
    if (request.target == "/wait") return ++held, HttpAnswer{};
    if (!lives) return {};
    if (request.target == "/livez") return ++looks, answer(200);
    if (request.target != "/readyz") return answer(200, "here");
    return ++doubts, leads ? answer(200) : answer(503);
  }
};

Endpoint both(const OneOfTwo& one, const OneOfTwo& two, const SilenceTimes& times = kTimes) {
  Endpoint out{cat(one.server.url(), ",", two.server.url()), {}, {}, {}};
  out.lead = std::make_shared<LeadWatch>(times);
  return out;
}

Request ask_for(const std::string& target) {
  Request request;
  request.target = target;
  return request;
}

// A request that waits, on a thread of its own.
class Waiter {
 public:
  explicit Waiter(Endpoint endpoint)
      : client_(make_client(std::move(endpoint))),
        thread_([this] { answer_ = client_->send(ask_for("/wait")); }) {}
  ~Waiter() {
    client_->abort();
    if (thread_.joinable()) thread_.join();
  }
  Error error() {
    thread_.join();
    return answer_->error();
  }
  Client& client() { return *client_; }

 private:
  std::unique_ptr<Client> client_;
  std::optional<Result<Response>> answer_;
  std::thread thread_;
};

void wait_until(const std::function<bool()>& true_now) {
  while (!true_now()) std::this_thread::sleep_for(Millis(2));
}

TEST(LeadWatch, WhoWaitsForAServerThatIsStoppedIsToldOnceAnotherOneLeads) {
  OneOfTwo one, two;
  const Endpoint endpoint = both(one, two);
  Waiter first(endpoint), second(endpoint);
  wait_until([&] { return one.held == 2; });
  one.lives = false;
  wait_until([&] { return two.doubts >= 3; });  // who leads is asked, and nobody does
  two.leads = true;
  for (Waiter* each : {&first, &second}) {
    const Error error = each->error();
    EXPECT_EQ(error.code, Code::kUnavailable);
    EXPECT_EQ(error.reason, "CONNECTION_BROKEN") << "it was sent, and may have been done";
  }
  EXPECT_EQ(two.held, 0) << "nothing that may have been done is sent again";
  EXPECT_EQ(address_of(endpoint), two.server.url());
  EXPECT_EQ(make_client(endpoint)->send(ask_for("/"))->body, "here") << "it is not asked again";
}

TEST(LeadWatch, AServerThatLivesIsWaitedForHoweverLongAndWhateverAnotherOneSays) {
  OneOfTwo one, two;
  two.leads = true;  // as a second address of the same server does
  SilenceTimes times = kTimes;
  times.to_answer = Millis(60'000);  // however slow this machine is
  Waiter waiter(both(one, two, times));
  wait_until([&] { return one.looks >= 4; });
  EXPECT_EQ(two.doubts, 0) << "nobody asks who leads";
  waiter.client().abort();
  EXPECT_EQ(waiter.error().reason, "ABORTED") << "until then it waited";
}

TEST(LeadWatch, AServerThatIsSlowIsWaitedForWhileNobodyElseLeads) {
  OneOfTwo one, two;
  Waiter waiter(both(one, two));
  one.lives = false;
  wait_until([&] { return two.doubts >= 3; });
  one.lives = true;
  const int before = one.looks;
  wait_until([&] { return one.looks >= before + 3; });
  waiter.client().abort();
  EXPECT_EQ(waiter.error().reason, "ABORTED");
}

TEST(LeadWatch, WhoIsNotConnectedYetIsPassedOn) {
  os::Fd deaf(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));  // nobody says hello there
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(deaf.get(), plain, size), 0);
  ASSERT_EQ(::listen(deaf.get(), 8), 0);
  ASSERT_EQ(::getsockname(deaf.get(), plain, &size), 0);
  OneOfTwo two;
  two.leads = true;
  Endpoint endpoint{
      cat("https://127.0.0.1:", ntohs(address.sin_port), ",", two.server.url()), {}, {}, {}};
  endpoint.lead = std::make_shared<LeadWatch>(kTimes);
  const auto answered = make_client(endpoint)->send(ask_for("/"));
  ASSERT_TRUE(answered.ok()) << answered.error().describe();
  EXPECT_EQ(answered->body, "here");
  EXPECT_GE(two.doubts, 1) << "by who leads, and not by a time of its own";
}

TEST(LeadWatch, OfASingleServerNothingIsAsked) {
  OneOfTwo one;
  Endpoint endpoint{one.server.url(), {}, {}, {}};
  endpoint.lead = std::make_shared<LeadWatch>(kTimes);
  Request request = ask_for("/wait");
  request.idle_timeout = kTimes.asks * 4;
  EXPECT_EQ(make_client(endpoint)->send(request).error().reason, "IDLE_TIMEOUT");
  EXPECT_EQ(one.looks, 0);
}

}  // namespace
}  // namespace paddock::http
