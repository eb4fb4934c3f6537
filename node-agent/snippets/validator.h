// Asks a Python program in a sandbox of its own what a snippet contains. It is a second wall, never
// the one that holds. Thread-safe: helpers are lent one at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "node-agent/snippets/warm_sandbox.h"

namespace paddock::snippets {

struct Finding {
  std::string text;
  int64_t line = 0;
};

struct Verdict {
  std::vector<Finding> findings;     // in the order of their lines
  std::vector<std::string> imports;  // root modules
};

// The texts of the findings, each once.
std::vector<std::string> texts_of(const std::vector<Finding>& findings);
// All of them in one line, with where they are.
std::string summary_of(const std::vector<Finding>& findings);
// The helper's answer. Internal, VALIDATOR_ANSWER.
Result<Verdict> read_verdict(std::string_view json);

class Validator {
 public:
  using Make = std::function<Result<std::unique_ptr<WarmSandbox>>()>;
  static constexpr Millis kCheckTime{5'000};
  // `check_time`: of one source, from when its helper is ready.
  Validator(Make make, const Clock& clock, Millis check_time = kCheckTime)
      : make_(std::move(make)), clock_(clock), check_time_(check_time) {}

  // Code over which its helper ended, or took too long, has that as its finding: it would do the
  // same to the next one. The helper is replaced. Unavailable, VALIDATOR_FAILED, or what `make`
  // says: nothing is known of the code, since no helper was to be had.
  Result<Verdict> check(const std::string& code);
  // Sees to it that a helper waits.
  Status prepare();

 private:
  struct Helper {
    std::unique_ptr<WarmSandbox> sandbox;
    int served = 0;
  };
  Result<Helper> take();
  Status await(Helper& helper) const;
  Result<std::string> ask(Helper& helper, const std::string& code) const;
  Result<Verdict> lost(Helper& helper, const Error& error) const;

  const Make make_;
  const Clock& clock_;
  const Millis check_time_;
  Guarded<std::vector<Helper>> idle_;
};

}  // namespace paddock::snippets
