// What a transport waits for, over TLS whose records are cut as we like.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "common/base/freed.h"
#include "common/base/time.h"
#include "common/crypto/certificate.h"
#include "controller/http_server/tls.h"

namespace paddock::http_server {
namespace {

Deadline at_once() { return Deadline::in_ms(0); }

// A client that trusts whoever it talks to.
class CuttingClient {
 public:
  explicit CuttingClient(os::Fd socket)
      : socket_(std::move(socket)),
        context_(SSL_CTX_new(TLS_client_method())),
        session_(SSL_new(context_.get())),
        heard_(BIO_new(BIO_s_mem())),
        said_(BIO_new(BIO_s_mem())) {
    SSL_set_bio(session_.get(), heard_, said_);  // which owns them from here on
    SSL_set_connect_state(session_.get());
  }
  void shake() {
    std::array<char, 16 << 10> bytes;
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) BIO_write(heard_, bytes.data(), static_cast<int>(got));
    SSL_do_handshake(session_.get());
    send(taken());
  }
  std::string record_of(std::string_view text) {
    SSL_write(session_.get(), text.data(), static_cast<int>(text.size()));
    return taken();
  }
  void send(std::string_view bytes) const {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }

 private:
  std::string taken() {
    std::array<char, 16 << 10> bytes;
    const int got = BIO_read(said_, bytes.data(), static_cast<int>(bytes.size()));
    return {bytes.data(), static_cast<size_t>(std::max(got, 0))};
  }

  os::Fd socket_;
  std::unique_ptr<SSL_CTX, Freed<&SSL_CTX_free>> context_;
  std::unique_ptr<SSL, Freed<&SSL_free>> session_;
  BIO* heard_;
  BIO* said_;
};

class TlsTransports : public testing::Test {
 protected:
  TlsTransports() {
    const WallTime now = SystemClock().wall();
    const auto ca = crypto::make_ca("test", now).value();
    const auto own = crypto::make_server_certificate(ca, {"localhost"}, now).value();
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    client_ = std::make_unique<CuttingClient>(os::Fd(ends[0]));
    context_ = TlsContext::make({own.certificate_pem, own.private_key_pem}).value();
    transport_ = context_->accept(os::Fd(ends[1]), stop_, 1000).value();
    do {
      client_->shake();
    } while (transport_->handshake(at_once()) == IoState::kTooSlow);
  }
  std::string read(size_t most) {
    std::array<char, 64> bytes;
    size_t got = 0;
    EXPECT_TRUE(transport_->read_some(bytes.data(), most, got));
    return {bytes.data(), got};
  }
  // kTooSlow: whoever waited would sleep.
  void expect_waits(IoState state) {
    EXPECT_EQ(transport_->wait_both({.read = true}, waker_.fd(), at_once()), state);
    EXPECT_EQ(transport_->wait_readable(at_once()), state);
  }

  StopSignal stop_{StopSignal::make_event().value()};
  os::Event waker_ = StopSignal::make_event().value();
  std::unique_ptr<CuttingClient> client_;
  std::shared_ptr<TlsContext> context_;
  std::unique_ptr<Transport> transport_;
};

// Else its thread would turn for as long as the client keeps the other half.
TEST_F(TlsTransports, HalfOfARecordIsWaitedForAsIfNothingHadCome) {
  const std::string record = client_->record_of("hello");
  const size_t middle = record.size() / 2;
  // A part of its head, and then of what is behind that.
  for (const std::string& part : {record.substr(0, 2), record.substr(2, middle - 2)}) {
    client_->send(part);
    expect_waits(IoState::kOk);
    EXPECT_EQ(read(64), "");
    expect_waits(IoState::kTooSlow);
  }
  client_->send(record.substr(middle));
  expect_waits(IoState::kOk);
  EXPECT_EQ(read(64), "hello");
  expect_waits(IoState::kTooSlow);
}

TEST_F(TlsTransports, WhatIsDecryptedAndUnreadIsThereThoughTheSocketIsEmpty) {
  client_->send(client_->record_of("hello"));
  EXPECT_EQ(read(2), "he");
  expect_waits(IoState::kOk);
  EXPECT_EQ(read(64), "llo");
  expect_waits(IoState::kTooSlow);
}

// A slow client sends all of a refused body before it reads why: each piece that comes gives it
// time for more.
TEST(Transport, SwallowsARefusedBodyAsLongAsItComes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const os::Fd client(ends[1]);
  const StopSignal stop(*StopSignal::make_event());
  const auto server = make_plain_transport(os::Fd(ends[0]), stop, 60'000);
  const std::string piece(32 << 10, 'x');
  const auto send_piece = [&] {
    return ::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(piece.size());
  };
  ASSERT_TRUE(send_piece() && send_piece()) << "some seconds, however busy this host is";
  std::jthread finishing([&] { server->finish(1); });
  for (int sent = 2; sent < 200; ++sent) ASSERT_TRUE(send_piece()) << sent;
  ASSERT_EQ(::shutdown(client.get(), SHUT_WR), 0);
}

TEST(Transport, InAHurryItSwallowsNoLonger) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const os::Fd client(ends[1]);
  const StopSignal stop(*StopSignal::make_event());
  const auto server = make_plain_transport(os::Fd(ends[0]), stop, 60'000);
  const std::string piece(64 << 10, 'x');
  ASSERT_GT(::send(client.get(), piece.data(), piece.size(), MSG_NOSIGNAL), 0);
  server->finish(1, [] { return true; });
  EXPECT_LT(::send(client.get(), "x", 1, MSG_NOSIGNAL), 0);
}

}  // namespace
}  // namespace paddock::http_server
