// An API that answers from a list, and remembers what it was asked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/mcp/tools.h"
#include "common/wire/json.h"

namespace paddock::mcp {

class FakeApi final : public Api {
 public:
  Result<wire::Value> send(const Ask& ask) override {
    if (answer) return answer(ask);
    asked.push_back(ask.method + " " + ask.target + (ask.key.empty() ? "" : " key=" + ask.key));
    last_body = ask.body;
    if (answers.empty()) return missing;
    wire::Value out = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return out;
  }
  std::unique_ptr<Api> beside() override {
    auto other = std::make_unique<FakeApi>();
    other->answer = answer_beside;
    other->on_give_up = on_give_up;
    return other;
  }
  void give_up() override {
    if (on_give_up) on_give_up();
  }
  Result<wire::Value> put(const std::string& target, const std::string& bytes) override {
    asked.push_back("PUT " + target);
    sent.push_back(bytes);
    return wire::Value(wire::Value::Object{});
  }
  Result<Part> read(const std::string& target, int64_t from, size_t limit) override {
    asked.push_back(cat("READ ", target, " ", from));
    const std::string rest = text.substr(std::min(static_cast<size_t>(from), text.size()));
    return Part{rest.substr(0, limit), rest.size() > limit, folder};
  }
  bool has_folders() const override { return folders; }
  Result<Uploaded> upload(const std::string&, const std::string& named,
                          const wire::Value& run) override {
    asked.push_back("UPLOAD " + named);
    uploaded_for = run;
    if (refuses_upload) return *refuses_upload;
    return Uploaded{"w", "r", left_out};
  }
  Result<LeftOut> left_out_of(const std::string& named) override {
    asked.push_back("LOOK " + named);
    return left_out;
  }
  bool pause(Millis) override { return ++pauses < 1000; }

  std::function<Result<wire::Value>(const Ask&)> answer;         // instead of the list
  std::function<Result<wire::Value>(const Ask&)> answer_beside;  // of those for other threads
  std::function<void()> on_give_up;
  std::vector<std::string> asked;
  std::vector<std::string> sent;
  std::vector<wire::Value> answers;
  wire::Value last_body;
  wire::Value uploaded_for;
  std::optional<Error> refuses_upload;
  static Error no_run() { return {Code::kNotFound, "RUN_NOT_FOUND", "there is no such run"}; }
  Error missing = no_run();  // clang 14 emits a consteval call in a member's own initializer
  std::string text = "hello";
  LeftOut left_out;
  bool folder = false;
  bool folders = true;
  int pauses = 0;
};

inline wire::Value json(const std::string& text) { return wire::parse_json(text).value(); }

}  // namespace paddock::mcp
