// A client of a watch. For tests only.
#pragma once

#include "controller/api/api_test_support.h"
#include "controller/api/server/stream_here.h"

namespace paddock::api {

// A client that reads a watch and acts on what it has read, on the watch's own thread: nothing here
// waits for anything.
class ActingStream final : public ResponseStream {
 public:
  using Act = std::function<bool(ActingStream&)>;  // false: the client goes away
  explicit ActingStream(Act act) : act_(std::move(act)) {}
  bool write(std::string_view bytes) override {
    text += bytes;
    for (const std::string& line : split(bytes, '\n')) {
      if (!line.empty()) events.push_back(wire::parse_json(line).value());
    }
    return open();
  }
  bool open() const override { return open_ = open_ && act_(const_cast<ActingStream&>(*this)); }
  std::string types() const {
    std::string out;
    for (const wire::Value& each : events) out += each.text("type").substr(0, 1);
    return out;
  }
  std::string text;
  std::vector<wire::Value> events;

 private:
  Act act_;
  mutable bool open_ = true;
};

// What a server does next, without its threads: one step, or the question that a step called for.
inline Steps::Then advance(Steps& steps, Steps::Then last, ResponseStream& out,
                           const std::shared_ptr<Waker>& waker) {
  return (last == Steps::Then::kAsk ? steps.ask(out) : steps.step(out, waker)).then;
}

// A workspace, runs made by name, and watches of anything.
class WatchTest : public ApiTest {
 protected:
  WatchTest() { make_workspace(); }

  void make(const std::string& name) { ASSERT_EQ(call("POST", kRuns, run_text(name)).status, 201); }
  ActingStream watch_target(const std::string& target, ActingStream::Act act,
                            const std::string& accept = {}) {
    Request request = request_of("GET", target, admin_);
    if (!accept.empty()) request.headers["accept"] = accept;
    const Answer answer = send(request);
    EXPECT_EQ(answer.status, 200) << answer.text;
    ActingStream stream(std::move(act));
    stream_here(answer.response, stream);
    return stream;
  }
};

}  // namespace paddock::api
