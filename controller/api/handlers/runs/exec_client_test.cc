// The client's side of an attached command, with a connection and a clock by hand.
#include "controller/api/handlers/runs/exec_client.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

class NoWaker final : public Waker {
 public:
  void wake() override {}
};

// Each wait that finds nothing to do lets its time pass, and then asks what comes next.
class Connection final : public Upgraded {
 public:
  explicit Connection(ManualClock& clock) : clock_(clock) {}
  std::optional<size_t> read(char* into, size_t size) override {
    const size_t count = std::min(size, incoming.size());
    std::copy_n(incoming.data(), count, into);
    incoming.erase(0, count);
    return count;
  }
  std::optional<size_t> write(std::string_view bytes) override {
    const size_t count = std::min(bytes.size(), room);
    outgoing += bytes.substr(0, count);
    room -= count;
    return count;
  }
  bool write_last(std::string_view bytes) override {
    outgoing += bytes;
    return true;
  }
  bool wait(Wants wants, Millis limit) override {
    if (stops) return false;
    read_wanted = wants.read;
    const bool ready = (wants.read && !incoming.empty()) || (wants.write && room > 0);
    if (!ready) clock_.advance(limit), waited = waited + limit;
    if (!ready && meanwhile) meanwhile();
    return true;
  }
  bool stopping() const override { return stops; }
  std::shared_ptr<Waker> waker() override { return std::make_shared<NoWaker>(); }

  std::string incoming;
  std::string outgoing;
  size_t room = size_t{1} << 30;
  bool stops = false;
  bool read_wanted = false;
  Millis waited{0};
  std::function<void()> meanwhile;

 private:
  ManualClock& clock_;
};

class ExecClientTest : public testing::Test {
 protected:
  void serve() { ExecClient(connection_, exchange_, {.input = true}, clock_).serve(); }
  static std::string input(const std::string& data) {
    std::string out = {'\x82', static_cast<char>(0x80 | (data.size() + 1))};
    return out + std::string(4, '\0') + std::string(1, '\0') + data;
  }
  size_t sent(char first) const {
    return static_cast<size_t>(std::ranges::count(connection_.outgoing, first));
  }

  ManualClock clock_;
  Connection connection_{clock_};
  ExecExchange exchange_{std::make_shared<NoWaker>()};
};

TEST_F(ExecClientTest, OneThatIsSilentThoughItIsPingedIsGoneAfterAMinute) {
  serve();
  EXPECT_EQ(connection_.waited, Millis(60'000));
  EXPECT_GE(sent('\x89'), 2U);
  EXPECT_FALSE(exchange_.wanted());
}

TEST_F(ExecClientTest, OneThatAnswersStaysUntilTheCommandEnds) {
  int answers = 0;
  connection_.meanwhile = [&] {
    connection_.incoming = std::string("\x8a\x80\0\0\0\0", 6);
    if (++answers == 10) exchange_.finish("\x03{}");
  };
  serve();
  EXPECT_GE(connection_.waited, Millis(150'000));
  EXPECT_TRUE(connection_.outgoing.ends_with(std::string("\x82\x03\x03{}\x88\x02\x03\xe8", 9)));
}

TEST_F(ExecClientTest, OneThatTakesNothingIsGoneAfterHalfAMinute) {
  connection_.room = 0;
  exchange_.put("\x01output");
  serve();
  EXPECT_EQ(connection_.waited, Millis(30'000));
  EXPECT_FALSE(exchange_.wanted());
}

// Its last output and the status are not lost by a pause that other output may have, too.
TEST_F(ExecClientTest, OneThatTakesNothingWhileTheCommandEndsHasAsLongForTheLastWords) {
  connection_.room = 0;
  exchange_.finish("\x03{}");
  serve();
  EXPECT_EQ(connection_.waited, Millis(30'000));
}

TEST_F(ExecClientTest, OneThatHasAllAndDoesNotCloseIsLeftAfterTwoSeconds) {
  exchange_.finish("\x03{}");
  serve();
  EXPECT_EQ(connection_.waited, Millis(2'000));
}

TEST_F(ExecClientTest, OneWhoseInputNobodyTakesIsNotReadAndIsToldThatWeLive) {
  exchange_.started();
  for (int i = 0; i < 4000; ++i) connection_.incoming += input(std::string(100, 'x'));
  const size_t all = connection_.incoming.size();
  size_t left = 0;
  connection_.meanwhile = [&] {
    if (!exchange_.wanted()) return;  // the rest is read and means nothing
    left = connection_.incoming.size();
    EXPECT_FALSE(connection_.read_wanted);
    if (connection_.waited >= Millis(200'000)) exchange_.finish("\x03{}");
  };
  serve();
  EXPECT_GT(left, all / 2);
  EXPECT_GE(sent('\x8a'), 9U);
  EXPECT_EQ(sent('\x89'), 0U);
}

TEST_F(ExecClientTest, InputComesInPiecesOfTheContract) {
  exchange_.started();
  for (int i = 0; i < 500; ++i) connection_.incoming += input(std::string(100, 'y'));
  connection_.incoming += std::string("\x82\x82\0\0\0\0\xff\0", 8);
  size_t bytes = 0;
  bool end = false;
  connection_.meanwhile = [&] {
    for (auto piece = exchange_.next_piece(false); piece; piece = exchange_.next_piece(false)) {
      bytes += piece->data.size() / 4 * 3;
      end = piece->end;
      if (end) break;
      EXPECT_LE(piece->data.size(), base64_length(contracts::run_exec::kMostPieceBytes));
    }
    exchange_.finish("\x03{}");
    connection_.meanwhile = {};
  };
  serve();
  EXPECT_TRUE(end);
  EXPECT_NEAR(static_cast<double>(bytes), 50'000, 4);
}

TEST_F(ExecClientTest, AStopIsACloseWithACode) {
  connection_.stops = true;
  serve();
  EXPECT_EQ(connection_.outgoing, std::string("\x88\x02\x03\xe9", 4));
  EXPECT_FALSE(exchange_.wanted());
}

TEST(ExecExchange, ALostInputEndsTheCommandAndIsItsStatus) {
  ExecExchange exchange(std::make_shared<NoWaker>());
  exchange.started();
  exchange.fail({Code::kUnavailable, "NODE_LOST", "it is gone"});
  EXPECT_FALSE(exchange.wanted());
  EXPECT_FALSE(exchange.next_piece(false));
  EXPECT_FALSE(exchange.pause(Millis(0)));
  ASSERT_TRUE(exchange.failure());
  EXPECT_EQ(exchange.failure()->reason, "NODE_LOST");
  exchange.put("nobody waits for room");
  exchange.finish("status");
  const auto last = exchange.next_message();
  EXPECT_EQ(last.message, "status");
  EXPECT_TRUE(last.last);
}

TEST(ExecExchange, TheFirstSizeIsNotToldTwice) {
  ExecExchange exchange(std::make_shared<NoWaker>());
  exchange.take({{}, false, contracts::TerminalSize{33, 77}});
  const auto size = exchange.first_size(Millis(60'000));
  ASSERT_TRUE(size);
  EXPECT_EQ(size->rows, 33);
  exchange.take({"x", false, {}});
  exchange.started();
  const auto piece = exchange.next_piece(true);
  ASSERT_TRUE(piece);
  EXPECT_FALSE(piece->terminal);
  EXPECT_EQ(piece->data, "eA==");
}

}  // namespace
}  // namespace paddock::api
