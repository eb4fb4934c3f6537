// What a server over TLS serves and refuses, over real connections. (T26: the traps of TLS.)
#include <sys/stat.h>

#include "common/contracts/tool_gateway.h"
#include "controller/http_server/server_tls_fixture.h"
#include "tests/support/temp_dir.h"

namespace paddock::http_server {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRunUid = "0190f5a0-1234-7abc-8def-0123456789ab";

TEST_F(ServerTls, ServesManyRequestsOverTls) {
  start(tls_listener());
  TlsClient one(server_->port(0), {ours().ca.certificate_pem});
  ASSERT_TRUE(one.trusted());
  EXPECT_EQ(one.version(), "TLSv1.3");
  for (int i = 0; i < 20; ++i) {
    one.send(get("/ping"));
    EXPECT_THAT(one.read_until("pong"), HasSubstr("200 OK"));
  }
  one.send(get("/ping") + get("/nowhere"));
  EXPECT_THAT(one.read_until("NOT_FOUND"), HasSubstr("pong"))
      << "both requests of one TLS record are answered";
}

TEST_F(ServerTls, AGatewaysConnectionIsMarkedBeforeItsTls) {
  start(tls_listener());
  const std::string header = contracts::gateway_header(kRunUid);
  TlsClient run(server_->port(0), {ours().ca.certificate_pem}, header);
  ASSERT_TRUE(run.trusted());
  for (int i = 0; i < 2; ++i) {
    run.send(get("/seen", "X-Turn: it\r\n"));
    EXPECT_THAT(run.read_until("x-turn"), HasSubstr(cat("by the gateway of ", kRunUid)));
  }
  // Inside TLS it is no header, but bytes of the client's.
  TlsClient late(server_->port(0), {ours().ca.certificate_pem});
  late.send(header + get("/seen"));
  EXPECT_THAT(late.read_until("never"), Not(HasSubstr("by the gateway")));
  for (const std::string& no_tls : {header + header, header.substr(0, 54) + "\x16\x03\x01"}) {
    RawClient refused = client();
    refused.send(no_tls);
    EXPECT_TRUE(refused.closed_by_server());
  }
}

// A page that came over plain HTTP, from whoever is on the way, is not this server's page.
TEST_F(ServerTls, TheOriginOfItsOwnPagesHasItsScheme) {
  start(tls_listener());
  const auto answer_to = [&](const std::string& host, const std::string& origin) {
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    one.send(cat("POST /echo HTTP/1.1\r\nHost: ", host, "\r\n",
                 origin.empty() ? "" : cat("Origin: ", origin, "\r\n"),
                 "Connection: close\r\nContent-Length: 0\r\n\r\n"));
    return one.read_until("never");
  };
  for (const std::string origin : {"http://localhost", "http://localhost:443", "null",
                                   "https://localhost:80", "https://evil.example"})
    EXPECT_THAT(answer_to("localhost", origin), HasSubstr("ORIGIN_DENIED")) << origin;
  for (const std::string origin : {"", "https://localhost", "https://localhost:443"})
    EXPECT_THAT(answer_to("localhost", origin), HasSubstr("200 OK")) << origin;
  EXPECT_THAT(answer_to("localhost:8443", "https://localhost:8443"), HasSubstr("200 OK"));
  EXPECT_THAT(answer_to("localhost:8443", "http://localhost:8443"), HasSubstr("ORIGIN_DENIED"));
}

TEST_F(ServerTls, LargeBodiesGoBothWays) {
  start(tls_listener());
  TlsClient one(server_->port(0), {ours().ca.certificate_pem, TLS1_2_VERSION});
  ASSERT_TRUE(one.trusted());
  EXPECT_EQ(one.version(), "TLSv1.2");
  one.send(post("/count", std::string(3 << 20, 'x')));
  EXPECT_THAT(one.read_until("3145728"), HasSubstr("3145728"));
  one.send(get("/big", "Connection: close\r\n"));
  EXPECT_GT(one.read_until("never").size(), size_t{8} << 20);
}

TEST_F(ServerTls, WhoSendsAllOfARefusedBodyReadsTheAnswer) {
  start(tls_listener());
  for (const size_t size : {size_t{5} << 20, size_t{48} << 20}) {
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    one.send(post("/echo", std::string(size, 'x')));
    EXPECT_THAT(one.read_until("BODY_TOO_LARGE"), HasSubstr("413 ")) << size;
  }
}

TEST_F(ServerTls, AClientThatTrustsAnotherCaRefusesUsAndTheServerLivesOn) {
  start(tls_listener());
  const crypto::KeyPair other = crypto::make_ca("other", SystemClock().wall()).value();
  EXPECT_FALSE(TlsClient(server_->port(0), {other.certificate_pem}).trusted());
  EXPECT_TRUE(TlsClient(server_->port(0), {ours().ca.certificate_pem}).trusted());
}

TEST_F(ServerTls, OldVersionsAndOtherProtocolsAreRefused) {  // T26
  start(tls_listener());
  const std::string ca = ours().ca.certificate_pem;
  EXPECT_FALSE(TlsClient(server_->port(0), {ca, TLS1_1_VERSION}).trusted());
  EXPECT_FALSE(TlsClient(server_->port(0), {ca, 0, "\x02h2"}).trusted());
  TlsClient both(server_->port(0), {ca, 0, "\x02h2\x08http/1.1"});
  EXPECT_TRUE(both.trusted());
  EXPECT_EQ(both.protocol(), "http/1.1");
}

TEST_F(ServerTls, HealthIsAnsweredWithoutTlsWhereThatIsAllowedAndNothingElse) {
  ServerOptions options = tls_listener();
  options.plain_paths = {"/ping"};
  start(std::move(options));
  RawClient plain = client();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(plain.ask(get("/ping")).body, "pong");
  RawClient brief = client();
  brief.send("HEAD /ping HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(brief.answer(true).status, 200);
  for (const std::string& other :
       {get("/seen"), get("/ping/"), get("/ping/../seen"), get("/%70ing"), post("/ping", "x"),
        cat("DELETE /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")}) {
    const int handled = handled_.count();
    const Answer refused = client().ask(other);
    EXPECT_EQ(refused.status, 400) << other;
    EXPECT_EQ(handled_.count(), handled) << other;
  }
  EXPECT_THAT(client().ask(get("/seen")).body, HasSubstr("TLS_REQUIRED"));
  EXPECT_THAT(client().ask("GET /ping HTTP/1.1\r\nHost: evil.example\r\n\r\n").body,
              HasSubstr("HOST_DENIED"));
  TlsClient tls(server_->port(0), {ours().ca.certificate_pem});
  tls.send(get("/ping"));
  EXPECT_THAT(tls.read_until("pong"), HasSubstr("200 OK"));
}

TEST_F(ServerTls, WhoComesWithoutTlsIsToldThatItIsNeededAndIsGivenNothing) {
  start(tls_listener());
  for (const std::string& asked :
       {get("/ping"), post("/echo", "x"), cat("GET /ping HTTP/1.1\r\nHost: elsewhere\r\n\r\n"),
        cat("OPTIONS /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")}) {
    const Answer refused = client().ask(asked);
    EXPECT_EQ(refused.status, 400) << asked;
    EXPECT_THAT(refused.body, HasSubstr("TLS_REQUIRED")) << asked;
  }
  for (const std::string& nonsense : {std::string(1, '\0'), std::string("\x80\x2e\x01"),
                                      std::string("\x15\x03\x01\x00\x02\x02\x46")}) {
    RawClient plain = client();
    plain.send(nonsense + std::string(64, '\0'));
    EXPECT_EQ(plain.read_to_end().find("HTTP"), std::string::npos);
  }
  EXPECT_EQ(handled_.count(), 0);
}

TEST_F(ServerTls, PagesOfNamedOriginsAskAndReadAndNoOthers) {
  ServerOptions options = tls_listener();
  options.allowed_origins = {"https://app.example", "http://localhost:5173"};
  start(std::move(options));
  const auto ask = [&](const std::string& method, const std::string& origin,
                       const std::string& more = "") {
    TlsClient one(server_->port(0), {ours().ca.certificate_pem});
    one.send(cat(method, " /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: ", origin, "\r\n", more,
                 "Connection: close\r\nContent-Length: 0\r\n\r\n"));
    return one.read_until("never");
  };
  const std::string ahead = "Access-Control-Request-Method: POST\r\n";
  for (const std::string origin : {"https://app.example", "http://localhost:5173"}) {
    EXPECT_THAT(ask("POST", origin),
                AllOf(HasSubstr("200 OK"), HasSubstr("vary: Origin"),
                      HasSubstr(cat("access-control-allow-origin: ", origin))));
    const int handled = handled_.count();
    EXPECT_THAT(ask("OPTIONS", origin, ahead),
                AllOf(HasSubstr(" 204 "), HasSubstr("Idempotency-Key"),
                      HasSubstr(cat("access-control-allow-origin: ", origin))));
    EXPECT_EQ(handled_.count(), handled);
  }
  for (const std::string origin : {"https://app.example:444", "http://app.example", "null",
                                   "https://app.example.evil", "https://APP.example"}) {
    EXPECT_THAT(ask("POST", origin), HasSubstr("ORIGIN_DENIED")) << origin;
    for (const std::string& found : {ask("GET", origin), ask("OPTIONS", origin, ahead)})
      EXPECT_THAT(found, Not(HasSubstr("access-control-"))) << origin;
  }
}

TEST_F(ServerTls, AHandshakeThatDoesNotEndIsCutOff) {  // T26
  ServerOptions options = tls_listener();
  options.header_timeout_ms = 200;
  start(options);
  RawClient silent = client();
  EXPECT_TRUE(silent.closed_by_server());
}

TEST_F(ServerTls, KeysAndCertificatesThatDoNotFitAreRefusedAtStart) {  // T26
  const crypto::KeyPair other =
      crypto::make_server_certificate(ours().ca, {"localhost"}, SystemClock().wall()).value();
  const auto reason_with = [](const std::string& certificate, const std::string& key) {
    ServerOptions options = one_listener();
    options.listen[0].tls = TlsFiles{certificate, key};
    const auto started = Server::start(options, [](Request&) { return Response(); });
    return started.ok() ? std::string() : started.error().reason.str();
  };
  const std::string certificate = ours().server.certificate_pem;
  EXPECT_EQ(reason_with(certificate, other.private_key_pem), "TLS_KEY_MISMATCH");
  EXPECT_EQ(reason_with("", ours().server.private_key_pem), "TLS_CERTIFICATE_INVALID");
  EXPECT_EQ(reason_with("nonsense", ours().server.private_key_pem), "TLS_CERTIFICATE_INVALID");
  EXPECT_EQ(reason_with(certificate, ""), "TLS_KEY_INVALID");
  EXPECT_EQ(
      reason_with(certificate + "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n",
                  ours().server.private_key_pem),
      "TLS_CERTIFICATE_INVALID");
}

TEST_F(ServerTls, WithTlsEveryAddressMayBeListenedOn) {
  ServerOptions options = tls_listener();
  options.listen[0].host = "0.0.0.0";
  start(options);
  EXPECT_TRUE(TlsClient(server_->port(0), {ours().ca.certificate_pem}).trusted());
}

}  // namespace
}  // namespace paddock::http_server
