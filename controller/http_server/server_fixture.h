// For this module's tests: a server with a handler that shows what it saw.
#pragma once

#include <dirent.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/http_server/raw_client.h"
#include "controller/http_server/refusal.h"
#include "controller/http_server/server.h"
#include "controller/http_server/steps_fixture.h"

namespace paddock::http_server {

inline size_t entries(const char* folder) {
  DIR* opened = ::opendir(folder);
  size_t count = 0;
  while (::readdir(opened) != nullptr) ++count;
  ::closedir(opened);
  return count - 2;  // "." and ".."
}

inline size_t threads() { return entries("/proc/self/task"); }

// Connections whose both ends are in this process, as many as its descriptors allow.
inline size_t as_many_as(size_t wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return std::min<size_t>(wanted, (limit.rlim_cur - 200) / 2);
}

// Counts things that happen on server threads; wait_until blocks for them.
class Tally {
 public:
  void add(int n = 1) {
    std::lock_guard lock(mutex_);
    count_ += n;
    changed_.notify_all();
  }
  [[nodiscard]] bool wait_until(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs),
                             [&] { return count_ >= count; });
  }
  int count() {
    std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

class ServerTest : public testing::Test {
 protected:
  // Waits for clients as long as this test waits for the server: a busy machine may give either no
  // processor for long.
  static ServerOptions one_listener() {
    ServerOptions options;
    options.listen.push_back({});
    options.header_timeout_ms = options.idle_timeout_ms = options.write_timeout_ms = kPatienceMs;
    return options;
  }
  void start(ServerOptions options = one_listener()) {
    auto started =
        Server::start(std::move(options), [this](Request& request) { return handle(request); });
    ASSERT_TRUE(started.ok()) << started.error().describe();
    server_ = std::move(*started);
  }
  RawClient client() { return RawClient::tcp(server_->port(0)); }
  Answer ask(std::string_view bytes) { return client().ask(bytes); }
  void expect_alive() { EXPECT_EQ(ask(get("/ping")).body, "pong"); }
  // The request is refused with this status and reason, and the connection closes after it.
  void expect_refused(std::string_view bytes, int status, const std::string& reason) {
    RawClient attacker = client();
    const Answer answer = attacker.ask(bytes);
    EXPECT_EQ(answer.status, status) << bytes.substr(0, 200) << "\n" << answer.body;
    EXPECT_THAT(answer.body, testing::HasSubstr(cat("\"", reason, "\""))) << bytes.substr(0, 200);
    EXPECT_THAT(answer.body, testing::HasSubstr(cat("\"code\":", status)));
    EXPECT_EQ(ascii_lower(answer.header("connection")), "close");
    EXPECT_TRUE(attacker.closed_by_server());
  }

  Response handle(Request& request) {
    handled_.add();
    const std::string what = request.segments.empty() ? "" : request.segments[0];
    if (what == "ping") return text("pong");
    if (what == "seen") return text(describe(request));
    if (what == "echo") return read_body(request);
    if (what == "count") return count_body(request);
    if (what == "ignore") return refusal({Code::kUnauthenticated, "TOKEN_MISSING", "no token"});
    if (what == "throw") throw std::runtime_error("secret: db password");
    if (what == "throw-int") throw 7;  // NOLINT: handlers must not throw; the server survives it
    if (what == "big") return text(std::string(8 << 20, 'x'));
    if (what == "stream") return stream(request);
    if (what == "hold") return hold(request);
    if (what == "steps") return steps(request);
    if (what == "later") return later(request);
    return refusal({Code::kNotFound, "ROUTE_NOT_FOUND", "no such path"});
  }
  static Response text(std::string body) {
    Response response;
    response.content_type = "text/plain";
    response.body = std::move(body);
    return response;
  }
  static std::string describe(const Request& request) {
    std::string out = cat(request.method, " ", join(request.segments, "|"), "\n");
    if (!request.gateway_run.empty()) out += cat("by the gateway of ", request.gateway_run, "\n");
    for (const auto& [name, value] : request.query) out += cat("?", name, "=", value, "\n");
    for (const auto& [name, value] : request.headers) out += cat(name, ": ", value, "\n");
    return out;
  }
  static Response read_body(Request& request) {
    Result<std::string> body = request.body->read(64 << 10);
    return body.ok() ? text(*body) : refusal(body.error());
  }
  static Response count_body(Request& request) {
    uint64_t total = 0;
    const Status status =
        request.body->stream(size_t{1} << 40, [&](std::string_view piece) -> Status {
          total += piece.size();
          return {};
        });
    return status.ok() ? text(cat(total)) : refusal(status.error());
  }
  Response stream(const Request& request) {
    const std::string kind = request.segments.size() > 1 ? request.segments[1] : "";
    Response response;
    response.content_type = "text/event-stream";
    if (kind == "three")
      response.stream = [](ResponseStream& out) { out.write("a"), out.write(""), out.write("bc"); };
    if (kind == "throws") {
      response.stream = [](ResponseStream& out) {
        out.write("begun");
        throw std::runtime_error("secret");
      };
    }
    if (kind == "sized" || kind == "short") {
      response.headers.push_back({"Content-Length", "10"});
      response.stream = [kind](ResponseStream& out) {
        out.write(kind == "sized" ? "0123456789more" : "0123");
      };
    }
    if (kind == "forever") {
      response.stream = [this](ResponseStream& out) {
        out.write(": begun\n\n");
        wait_until_gone(out.client());
        EXPECT_FALSE(out.write("x"));
        ended_.add();
      };
    }
    if (kind == "flood") {
      response.stream = [this](ResponseStream& out) {
        const std::string piece(64 << 10, 'f');
        while (out.write(piece)) {
        }
        ended_.add();
      };
    }
    return response;
  }
  // What it holds is let go of at its end, and tells.
  Response steps(const Request& request) {
    const std::string kind = request.segments.size() > 1 ? request.segments[1] : "";
    Response response;
    response.content_type = "text/plain";
    response.stream = [](ResponseStream& out) { out.write(":"); };
    response.steps = steps_of(kind, feed_);
    response.held = std::shared_ptr<void>(this, [this](void*) { ended_.add(); });
    return response;
  }
  Response later(const Request& request) {
    Response response;
    const std::string kind = request.segments.size() > 1 ? request.segments[1] : "";
    const auto made = [this] { ended_.add(); };
    if (kind == "doubts")
      response.later = std::make_shared<Doubting>(
          feed_, [this] { settled_.add(); }, made);
    else
      response.later = std::make_shared<Awaiting>(feed_, kind == "long", made);
    return response;
  }
  Response hold(const Request& request) {
    wait_until_gone(request.client);
    ended_.add();
    return text("released");
  }
  // As a real handler does: it is told, and does not look.
  void wait_until_gone(const DisconnectToken& client) {
    Tally told;
    const DisconnectWatch watch = client.watch([&] { told.add(); });
    EXPECT_TRUE(watch) << "it would have to look";
    streaming_.add();
    EXPECT_TRUE(told.wait_until(1));
    EXPECT_TRUE(client.gone());
  }

  Feed feed_;
  Tally handled_;
  Tally streaming_;
  Tally settled_;
  Tally ended_;
  std::unique_ptr<Server> server_;
};

}  // namespace paddock::http_server
