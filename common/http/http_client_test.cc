#include "common/http/http_client.h"

#include <fcntl.h>

#include <condition_variable>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/clock_gap.h"
#include "common/http/curl_errors.h"
#include "tests/support/http_server.h"

namespace paddock::http {
namespace {

using test::answer;
using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kToken = "pdk_very-secret";

std::unique_ptr<Client> client_of(const HttpServer& server) {
  return make_client({server.url(), {}, {}, kToken});
}
Request get(const std::string& target) {
  Request request;
  request.target = target;
  return request;
}

TEST(HttpClient, SendsWhatItIsToldAndNothingElse) {
  HttpServer server(
      [](const HttpRequest&) { return answer(201, "made", "X-Thing:  a value \r\n"); });
  Request request = get("/path/%2e/../x?q=1");
  request.method = "POST";
  request.body = "content";
  request.headers = {{"Content-Type", "text/plain"}, {"X-Empty", ""}};
  const Result<Response> response = client_of(server)->send(request);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "made");
  EXPECT_EQ(response->headers.at("x-thing"), "a value");
  const HttpRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/path/%2e/../x?q=1");
  EXPECT_EQ(seen.body, "content");
  EXPECT_EQ(seen.headers.at("authorization"), "Bearer pdk_very-secret");
  EXPECT_EQ(seen.headers.at("content-type"), "text/plain");
  EXPECT_EQ(seen.headers.at("x-empty"), "");
  EXPECT_FALSE(seen.headers.contains("expect"));
}

TEST(HttpClient, KeepsItsConnectionAndSendsAgainWhenItDied) {
  HttpServer server([](const HttpRequest& request) {
    HttpAnswer reply = answer(200, request.body);
    reply.close = request.target == "/last";
    return reply;
  });
  const auto client = client_of(server);
  std::vector<int> connections;
  for (const char* target : {"/1", "/2", "/last", "/3"}) {
    Request request = get(target);
    request.method = "PUT";
    request.body = std::string(300'000, 'b');
    const Result<Response> response = client->send(request);
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->body, request.body);
    connections.push_back(server.requests().back().connection);
  }
  EXPECT_THAT(connections, testing::ElementsAre(1, 1, 1, 2));
}

// Where a request meets the reset (before, within or behind its body) differs from round to round.
TEST(HttpClient, SendsAgainWhenAKeptConnectionBreaksUnderItsBody) {
  HttpServer server([](const HttpRequest& request) {
    HttpAnswer reply = answer(200, std::to_string(request.body.size()));
    reply.reset = request.target == "/last";
    return reply;
  });
  const auto client = client_of(server);
  Request large = get("/large");
  large.method = "PUT";
  large.body = std::string(4'000'000, 'b');
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(client->send(get("/last")).ok());
    const Result<Response> response = client->send(large);
    ASSERT_TRUE(response.ok()) << round << ": " << response.error().describe();
    EXPECT_EQ(response->body, "4000000");
  }
}

os::Fd file_with(std::string_view content) {
  char path[] = "/tmp/paddock-body-XXXXXX";
  os::Fd file(::mkstemp(path));
  ::unlink(path);
  EXPECT_TRUE(os::write_all(file.get(), content).ok());
  return file;
}

Request put_of(const os::Fd& file) {
  Request request = get("/");
  request.method = "PUT";
  request.body_fd = file.get();
  return request;
}

TEST(HttpClient, SendsAFileFromItsStartAndSaysWhenItShrank) {
  HttpServer server([](const HttpRequest& request) { return answer(200, request.body); });
  const os::Fd file = file_with("file content");
  Request request = put_of(file);
  request.body_size = 12;
  const auto client = client_of(server);
  EXPECT_EQ(client->send(request)->body, "file content");
  request.body_size = 13;
  EXPECT_EQ(client->send(request).error().reason, "BODY_CHANGED");
}

TEST(HttpClient, SaysWhyAFileCannotBeReadWhileItIsSent) {
  HttpServer server([](const HttpRequest& request) { return answer(200, request.body); });
  const os::Fd file(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  Request request = put_of(file);
  request.body_size = 12;
  const Error why = client_of(server)->send(request).error();
  EXPECT_EQ(why.reason, "SYSTEM_ERROR") << "as its read was refused";
}

TEST(HttpClient, SendsAPartOfAFileAndKeepsNoMoreThanAsked) {
  HttpServer server([](const HttpRequest& request) { return answer(200, request.body); });
  const os::Fd file = file_with("file content");
  Request request = put_of(file);
  request.body_offset = 5;
  request.body_size = 4;
  const auto client = client_of(server);
  EXPECT_EQ(client->send(request)->body, "cont");
  request.most_body = 3;
  EXPECT_EQ(client->send(request).error().reason, "ANSWER_TOO_LARGE");
}

TEST(HttpClient, DoesNotFollowARedirect) {
  HttpServer server([](const HttpRequest&) { return answer(302, "", "Location: /elsewhere\r\n"); });
  EXPECT_EQ(client_of(server)->send(get("/"))->status, 302);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, GivesUpOnASlowServer) {
  HttpServer server([](const HttpRequest&) { return HttpAnswer{}; });
  Request request = get("/");
  request.timeout = Millis(200);
  const Error error = client_of(server)->send(request).error();
  EXPECT_EQ(error.code, Code::kDeadlineExceeded);
  EXPECT_EQ(error.reason, "TIMED_OUT");
}

TEST(HttpClient, GivesUpOnASilentStream) {
  HttpServer server(
      [](const HttpRequest&) { return HttpAnswer{test::chunked_head() + test::chunk("one")}; });
  std::string seen;
  // A busy machine may give the server no processor for so long: then it has more.
  for (const Millis idle : {Millis(1'000), Millis(60'000)}) {
    Request request = get("/");
    request.timeout = Millis(0);
    request.idle_timeout = idle;
    request.on_data = [&](std::string_view data) { return seen += data, true; };
    const Error error = client_of(server)->send(request).error();
    EXPECT_EQ(error.reason, "IDLE_TIMEOUT");
    if (!seen.empty()) break;
  }
  EXPECT_EQ(seen, "one");
}

TEST(HttpClient, ReportsBrokenAnswersAsUnavailable) {
  for (const std::string& bytes :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"),
        test::chunked_head() + "5\r\nab", std::string(), std::string("HTT"),
        std::string("HTTP/1.1 200"), test::chunked_head() + "zz\r\nab\r\n"}) {
    HttpServer server([&](const HttpRequest&) { return HttpAnswer{bytes, true}; });
    const Result<Response> response = client_of(server)->send(get("/"));
    ASSERT_FALSE(response.ok()) << bytes;
    EXPECT_EQ(response.error().code, Code::kUnavailable) << bytes;
  }
}

// Nothing that is sent there again will ever be understood.
TEST(HttpClient, TellsAPortThatSpeaksAnotherProtocol) {
  std::string says;
  HttpServer server([&](const HttpRequest&) { return HttpAnswer{says, true}; });
  for (const char* words : {"SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01", "not http at all\r\n\r\n"}) {
    says = words;
    const Error error = client_of(server)->send(get("/")).error();
    EXPECT_EQ(error.reason, "WRONG_PROTOCOL") << words;
    EXPECT_EQ(error.code, Code::kUnauthenticated) << words;
    EXPECT_THAT(error.message, HasSubstr("no HTTP"));
  }
}

TEST(HttpClient, WaitsForAServerInWhosePlaceSomethingElseAnswers) {
  HttpServer server(test::script({answer(200), {"SSH-2.0-OpenSSH_9.2\r\n", true}, answer(200)}));
  const auto client = client_of(server);
  EXPECT_TRUE(client->send(get("/")).ok());
  EXPECT_EQ(client->send(get("/")).error().reason, "CONNECTION_BROKEN");
  EXPECT_TRUE(client->send(get("/")).ok());
}

TEST(HttpClient, GoesOnFromAPortThatSpeaksAnotherProtocolToTheNextAddress) {
  HttpServer strange([](const HttpRequest&) { return HttpAnswer{"220 smtp\r\n", true}; });
  HttpServer server([](const HttpRequest&) { return answer(200, "here"); });
  const auto client = make_client({cat(strange.url(), ",", server.url()), {}, {}, {}});
  EXPECT_EQ(client->send(get("/"))->body, "here");
}

TEST(HttpClient, AWrongPortIsNotTheAnswerWhileAnotherAddressIsAway) {
  HttpServer strange([](const HttpRequest&) { return HttpAnswer{"220 smtp\r\n", true}; });
  std::string away;
  {
    HttpServer server([](const HttpRequest&) { return answer(200); });
    away = server.url();
  }
  for (const std::string& both : {cat(away, ",", strange.url()), cat(strange.url(), ",", away)})
    EXPECT_EQ(make_client({both, {}, {}, {}})->send(get("/")).error().reason, "UNREACHABLE");
}

TEST(HttpClient, TellsAPortThatSpeaksNoTls) {
  const os::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_TRUE(::bind(listener.get(), plain, size) == 0 && ::listen(listener.get(), 1) == 0 &&
              ::getsockname(listener.get(), plain, &size) == 0);
  std::thread server([&] {
    const os::Fd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char hello[4096];
    EXPECT_GT(::recv(client.get(), hello, sizeof hello, 0), 0);
    EXPECT_TRUE(os::write_all(client.get(), "HTTP/1.1 400 Bad Request\r\n\r\n").ok());
  });
  const std::string url = cat("https://127.0.0.1:", ntohs(address.sin_port));
  const Error error = make_client({url, {}, {}, {}})->send(get("/")).error();
  server.join();
  EXPECT_EQ(error.reason, "WRONG_PROTOCOL") << error.describe();
  EXPECT_THAT(error.message, HasSubstr("no TLS"));
}

TEST(HttpClient, ReportsAPeerThatIsNotThere) {
  std::string url;
  {
    HttpServer server([](const HttpRequest&) { return answer(200); });
    url = server.url();
  }
  const Error error = make_client({url, {}, {}, kToken})->send(get("/")).error();
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_EQ(error.reason, "UNREACHABLE");
  EXPECT_THAT(error.describe(), Not(HasSubstr(kToken)));
  EXPECT_EQ(make_client({"http://h", "/tmp/no-such-socket", {}, {}})->send(get("/")).error().reason,
            "UNREACHABLE");
}

// The C library refuses such a name without asking anybody.
constexpr const char* kNoSuchHost = "http://a..b";

TEST(HttpClient, TellsANameThatNobodyHas) {
  const Error error = make_client({kNoSuchHost, {}, {}, kToken})->send(get("/")).error();
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_EQ(error.reason, "SERVER_NAME_UNKNOWN");
  EXPECT_THAT(error.describe(), HasSubstr("a..b: there is no such host"));
}

TEST(HttpClient, WaitsForANameThatAnotherClientOfTheEndpointHadAnAnswerFrom) {
  const Endpoint endpoint{kNoSuchHost, {}, {}, kToken};
  endpoint.met->with([](auto& met) { met.insert(kNoSuchHost); });
  EXPECT_EQ(make_client(endpoint)->send(get("/")).error().reason, "UNREACHABLE");
}

TEST(HttpClient, GoesOnFromANameThatNobodyHasToTheNextAddress) {
  std::string gone;
  {
    HttpServer server([](const HttpRequest&) { return answer(200, "here"); });
    const auto client = make_client({cat(kNoSuchHost, ",", server.url()), {}, {}, {}});
    for (int i = 0; i < 2; ++i) EXPECT_EQ(client->send(get("/"))->body, "here");
    gone = server.url();
  }
  for (const std::string& addresses : {cat(kNoSuchHost, ",", gone), cat(gone, ",", kNoSuchHost)})
    EXPECT_EQ(make_client({addresses, {}, {}, {}})->send(get("/")).error().reason, "UNREACHABLE")
        << "it may come back: " << addresses;
}

TEST(HttpClient, CapsHeadersAndBodies) {
  HttpServer headers([](const HttpRequest&) {
    return answer(200, "", cat("X: ", std::string(70'000, 'x'), "\r\n"));
  });
  EXPECT_EQ(client_of(headers)->send(get("/")).error().reason, "ANSWER_TOO_LARGE");
  const std::string large((size_t{64} << 20) + 1, 'x');
  HttpServer body([&](const HttpRequest&) { return answer(200, large); });
  EXPECT_EQ(client_of(body)->send(get("/")).error().code, Code::kTooLarge);
}

TEST(HttpClient, HandsPiecesOnOnlyOfAGoodAnswerAndStopsWhenTold) {
  HttpServer server([](const HttpRequest& request) {
    return request.target == "/bad" ? answer(404, "why") : answer(200, "data");
  });
  const auto client = client_of(server);
  int calls = 0;
  Request request = get("/bad");
  request.on_data = [&](std::string_view) { return ++calls, false; };
  EXPECT_EQ(client->send(request)->body, "why");
  EXPECT_EQ(calls, 0);
  request.target = "/good";
  const Result<Response> response = client->send(request);
  ASSERT_TRUE(response.ok());
  EXPECT_TRUE(response->stopped);
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(client->send(get("/good")).ok()) << "usable afterwards";
}

TEST(HttpClient, IsEndedAtOnceFromAnotherThread) {
  std::mutex mutex;
  std::condition_variable changed;
  bool arrived = false;
  HttpServer server([&](const HttpRequest&) {
    const std::lock_guard lock(mutex);
    arrived = true;
    changed.notify_all();
    return HttpAnswer{};
  });
  const auto client = client_of(server);
  Request request = get("/");
  request.timeout = Millis(0);
  std::chrono::steady_clock::time_point aborted;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return arrived; });
    aborted = std::chrono::steady_clock::now();
    client->abort();
  });
  const Result<Response> response = client->send(request);
  const auto ended = std::chrono::steady_clock::now();
  other.join();
  EXPECT_EQ(response.error().reason, "ABORTED");
  EXPECT_LT(ended - aborted, std::chrono::minutes(5));  // and not for ever
  EXPECT_EQ(client->send(get("/")).error().reason, "ABORTED") << "and stays ended";
}

TEST(HttpClient, RefusesInputThatCouldSmuggle) {
  HttpServer server([](const HttpRequest&) { return answer(200); });
  const auto reason = [&](const std::string& target, const std::string& header) {
    Request request = get(target);
    request.headers = {{"X-A", header}};
    const Result<Response> response = client_of(server)->send(request);
    return response ? "sent" : response.error().reason.str();
  };
  EXPECT_EQ(reason("/", "a\r\nX-B: c"), "BAD_HEADER");
  EXPECT_EQ(reason("/a b", "v"), "BAD_TARGET");
  EXPECT_EQ(reason("/a\r\nX: y", "v"), "BAD_TARGET");
  EXPECT_EQ(reason("@other/", "v"), "BAD_TARGET");
  for (const char* url :
       {"ftp://h", "file:///etc/passwd", "http://user:secret@h", "h", "http://h/\n"}) {
    const Error error = make_client({url, {}, {}, {}})->send(get("/")).error();
    EXPECT_EQ(error.reason, "BAD_URL");
    EXPECT_THAT(error.describe(), Not(HasSubstr("secret")));
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(CurlError, TellsACertificateOfAnotherTimeFromOneOfAnotherCa) {
  const WallTime now = *parse_time("2026-01-02T03:04:05Z");
  const Error early = certificate_error(9, "https://c:1", now);
  EXPECT_EQ(early.reason, "CERTIFICATE_NOT_VALID_NOW");
  EXPECT_EQ(early.code, Code::kUnauthenticated);
  for (const char* words : {"https://c:1 ", "not valid yet", "2026-01-02T03:04:05Z"})
    EXPECT_THAT(early.message, HasSubstr(words));
  const Error late = certificate_error(10, "https://c:1", now);
  EXPECT_EQ(late.reason, "CERTIFICATE_NOT_VALID_NOW");
  for (const char* words :
       {"has expired", "2026-01-02T03:04:05Z", "timedatectl set-ntp true", "renew the certificate"})
    EXPECT_THAT(late.message, HasSubstr(words));
  for (const long other : {0L, 18L, 19L, 20L, 62L})
    EXPECT_EQ(certificate_error(other, "p", now).reason, "SERVER_NOT_TRUSTED") << other;
  EXPECT_TRUE(is_peer_unproven(early) && is_peer_unproven(certificate_error(20, "p", now)));
  EXPECT_FALSE(is_peer_unproven(Error{Code::kUnauthenticated, "TOKEN_UNKNOWN", ""}));
}

TEST(HttpClient, ComparesThePeersClockWithOurs) {
  const auto gap_of = [](const std::string& date) {
    HttpServer server([&](const HttpRequest&) { return answer(200, "", date); });
    return client_of(server)->send(get("/"))->clock_gap;
  };
  EXPECT_EQ(gap_of(""), std::nullopt);
  EXPECT_EQ(gap_of("Date: yesterday\r\n"), std::nullopt);
  EXPECT_LT(gap_of("Date: Fri, 02 Jan 2015 03:04:05 GMT\r\n"), -kClockTolerance);
  EXPECT_GT(gap_of("Date: Thu, 02 Jan 2200 03:04:05 GMT\r\n"), kClockTolerance);
}

TEST(CurlError, SortsCertificatesFromConnectionsFromTime) {
  EXPECT_EQ(curl_error(CURLE_PEER_FAILED_VERIFICATION, "p", false).reason, "SERVER_NOT_TRUSTED");
  EXPECT_EQ(curl_error(CURLE_PEER_FAILED_VERIFICATION, "p", false).code, Code::kUnauthenticated);
  EXPECT_EQ(curl_error(CURLE_OPERATION_TIMEDOUT, "p", false).reason, "UNREACHABLE");
  EXPECT_EQ(curl_error(CURLE_OPERATION_TIMEDOUT, "p", true).reason, "TIMED_OUT");
  EXPECT_EQ(curl_error(CURLE_PARTIAL_FILE, "p", true).reason, "CONNECTION_BROKEN");
}

}  // namespace
}  // namespace paddock::http
