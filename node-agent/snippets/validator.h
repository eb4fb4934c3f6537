// Asks a Python program in a sandbox of its own what a snippet contains. It is a second wall, never
// the one that holds. Thread-safe: helpers are lent one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "node-agent/snippets/fed_sandbox.h"
#include "node-agent/snippets/settings.h"

namespace paddock::snippets {

struct Finding {
  std::string text;
  int64_t line = 0;
};

struct Verdict {
  std::vector<Finding> findings;     // in the order of their lines
  std::vector<std::string> imports;  // root modules
};

// What each finding says, once each.
std::vector<std::string> texts_of(const std::vector<Finding>& findings);
// All of them in one line, with where they are.
std::string summary_of(const std::vector<Finding>& findings);
// The helper's answer. Internal, VALIDATOR_ANSWER.
Result<Verdict> read_verdict(std::string_view json);

class Validator {
 public:
  Validator(const Setting& setting, std::string socket, const Clock& clock)
      : setting_(setting), socket_(std::move(socket)), clock_(clock) {}

  // Unavailable, VALIDATOR_FAILED: the helper died or took too long over this; it is replaced.
  Result<Verdict> check(const std::string& code);
  // Sees to it that a helper waits.
  Status prepare();

 private:
  struct Helper {
    std::unique_ptr<FedSandbox> sandbox;
    int served = 0;
  };
  Result<Helper> take();
  Result<std::string> ask(Helper& helper, const std::string& code);

  const Setting& setting_;
  const std::string socket_;
  const Clock& clock_;
  Guarded<std::vector<Helper>> idle_;
};

}  // namespace paddock::snippets
