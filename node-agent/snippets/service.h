// Snippets on this node: checked, run in a sandbox of their own, answered. Thread-safe; starts no
// thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/calls.h"
#include "common/contracts/snippet_report.h"
#include "node-agent/launch/deferred_teardown.h"
#include "node-agent/snippets/launch_request.h"
#include "node-agent/snippets/pool.h"
#include "node-agent/snippets/validator.h"

namespace paddock::snippets {

struct Dependencies {
  std::string socket;                           // of a serving launcher
  std::function<void()> no_server;              // it does not listen: somebody should look after it
  launch::DeferredTeardown::Wake wake;          // there may be something to maintain
  launch::DeferredTeardown& deferred_teardown;  // done by who maintains
  int64_t processors;                           // of this host
  const Clock& clock;
};

class Service {
 public:
  Service(Setting setting, Dependencies dependencies);

  // Finds out about the interpreter, once. Errors: why this host takes no snippets.
  Status look();
  contracts::SnippetSkills skills() const;
  // `drop`: readable once nobody waits any more. Errors may pass later.
  Result<contracts::SnippetReport> execute(const contracts::SnippetOrder& order, int drop);

  // One round of keeping sandboxes warm. When to do the next, if nothing wakes before.
  Millis maintain();
  // The launcher's program is another one now.
  void discard_warm();

 private:
  // Several requests at once leave no processor for what is only useful later.
  bool may_warm();
  std::vector<std::string> wanted_libraries(const contracts::SnippetOrder& order,
                                            const Verdict& verdict) const;
  Result<std::unique_ptr<WarmSandbox>> launch(const contracts::LaunchRequest& request);
  struct Prepared {
    std::unique_ptr<WarmSandbox> sandbox;
    bool warm = false;
  };
  Result<Prepared> sandbox_for(const contracts::SnippetOrder& order, const Verdict& verdict);
  Result<contracts::SnippetReport> run(const contracts::SnippetOrder& order, const Verdict& verdict,
                                       MonoTime arrived, int drop);

  const Setting setting_;
  const Dependencies dependencies_;
  Interpreter interpreter_;  // set by look(), then fixed
  Validator validator_;
  std::unique_ptr<Pool> plain_;
  std::unique_ptr<Pool> with_libraries_;
  std::atomic<bool> looked_{false};  // then what look() made is there
};

}  // namespace paddock::snippets
