#include "node-agent/snippets/service.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/wire/json.h"
#include "node-agent/snippets/answer.h"

namespace paddock::snippets {
namespace {

// The modules of the standard library that most snippets use. Every interpreter that waits has
// loaded them.
const std::vector<std::string>& usual_modules() {
  static const std::vector<std::string> kModules = {"json",     "re",          "math",
                                                    "datetime", "collections", "itertools"};
  return kModules;
}

std::vector<std::string> both(std::vector<std::string> one, const std::vector<std::string>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

Service::Service(Setting setting, Dependencies dependencies)
    : setting_(std::move(setting)),
      dependencies_(std::move(dependencies)),
      validator_([this] { return launch(validator_request(setting_)); }, dependencies_.clock) {}

Result<std::unique_ptr<WarmSandbox>> Service::launch(const contracts::LaunchRequest& request) {
  auto launched = WarmSandbox::launch(dependencies_.socket, request);
  if (!launched.ok() && launched.error().reason == "NOT_LISTENING") dependencies_.no_server();
  return launched;
}

Status Service::look() {
  TRY(contracts::check_node_bounds(setting_.profile.policy, setting_.bounds));
  ASSIGN_OR_RETURN(auto sandbox, launch(look_request(setting_)));
  ASSIGN_OR_RETURN(const auto result, sandbox->run("", Millis(30'000), -1, dependencies_.clock));
  if (result.status != contracts::SandboxStatus::kOk) {
    return Error{Code::kFailedPrecondition, "NO_INTERPRETER",
                 cat("no Python runs in the sandbox: ", result.reason, " ", trim(result.err))};
  }
  ASSIGN_OR_RETURN(const wire::Value document, wire::parse_json(result.out));
  ASSIGN_OR_RETURN(interpreter_, wire::decode<Interpreter>(document));
  for (const std::string& name : interpreter_.missing)
    log_warn("a library for snippets is not to be had on this host", {{"module", name}});
  const MonoTime now = dependencies_.clock.mono();
  const int64_t most = setting_.config.max_warm;
  const auto pool = [&](const std::vector<std::string>& modules, int64_t fewest) {
    return std::make_unique<Pool>(
        [this, modules] {
          return launch(worker_request(setting_, interpreter_, modules, setting_.profile.policy));
        },
        PoolPace(fewest, most, now), dependencies_.clock);
  };
  plain_ = pool(usual_modules(), 1);
  if (!interpreter_.libraries.empty())
    with_libraries_ = pool(both(usual_modules(), interpreter_.libraries), 0);
  if (setting_.config.validator) TRY(validator_.prepare());
  looked_ = true;
  return {};
}

contracts::SnippetSkills Service::skills() const {
  return {true, setting_.config.validator, setting_.config.max_parallel, interpreter_.libraries,
          interpreter_.missing};
}

// Where nobody checks code, a name in it is taken for an import.
std::vector<std::string> Service::wanted_libraries(const contracts::SnippetOrder& order,
                                                   const Verdict& verdict) const {
  std::vector<std::string> out;
  for (const std::string& name : interpreter_.libraries) {
    const bool wanted = setting_.config.validator
                            ? std::ranges::find(verdict.imports, name) != verdict.imports.end()
                            : order.code.find(name) != std::string::npos;
    if (wanted) out.push_back(name);
  }
  return out;
}

Result<Service::Prepared> Service::sandbox_for(const contracts::SnippetOrder& order,
                                               const Verdict& verdict) {
  const std::vector<std::string> libraries = wanted_libraries(order, verdict);
  const Needs needs{order.timeout_ms, order.memory_mb};
  const contracts::SandboxPolicy& profile = setting_.profile.policy;
  if (fits_warm(needs, profile.limits)) {
    Pool& pool = libraries.empty() ? *plain_ : *with_libraries_;
    if (auto ready = pool.take()) return Prepared{std::move(ready), true};
  }
  const contracts::SandboxPolicy policy = policy_for(needs, profile);
  TRY(contracts::check_node_bounds(policy, setting_.bounds));
  ASSIGN_OR_RETURN(auto made, launch(worker_request(setting_, interpreter_, libraries, policy)));
  return Prepared{std::move(made), false};
}

Result<contracts::SnippetReport> Service::run(const contracts::SnippetOrder& order,
                                              const Verdict& verdict, MonoTime arrived, int drop) {
  ASSIGN_OR_RETURN(Prepared prepared, sandbox_for(order, verdict));
  const MonoTime now = dependencies_.clock.mono();
  const Millis left = std::max(Millis(1), Millis(order.timeout_ms) - (now - arrived));
  const std::string input = worker_input(order);
  prepared.sandbox->begin(input, left, dependencies_.clock);
  auto use = dependencies_.deferred_teardown.begin();
  if (prepared.warm) dependencies_.wake(dependencies_.deferred_teardown.rest());
  auto result = prepared.sandbox->finish(drop, dependencies_.clock);
  if (!result.ok()) return result.error();  // and its sandbox ends now
  if (use.keep(std::move(*prepared.sandbox).release()))
    dependencies_.wake(launch::DeferredTeardown::kAnswerSent);
  return report_of(std::move(*result), prepared.warm);
}

Result<contracts::SnippetReport> Service::execute(const contracts::SnippetOrder& order, int drop) {
  const MonoTime arrived = dependencies_.clock.mono();
  Verdict verdict;
  if (setting_.config.validator) {
    ASSIGN_OR_RETURN(verdict, validator_.check(order.code));
  }
  contracts::SnippetReport report;
  if (verdict.findings.empty()) {
    auto ran = run(order, verdict, arrived, drop);
    if (!ran.ok()) return ran;
    report = std::move(*ran);
  } else {
    report.answer =
        contracts::refused_answer(summary_of(verdict.findings), texts_of(verdict.findings));
  }
  report.answer.execution_time_ms = (dependencies_.clock.mono() - arrived).count();
  return report;
}

bool Service::may_warm() {
  const int64_t warming = plain_->warming() + (with_libraries_ ? with_libraries_->warming() : 0);
  const int64_t under_way = dependencies_.deferred_teardown.under_way();
  return under_way + warming < dependencies_.processors || (under_way == 0 && warming == 0);
}

Millis Service::maintain() {
  constexpr Millis kSoon{3};
  constexpr Millis kNow{0};
  constexpr Millis kLater{5'000};
  if (!looked_) return kLater;
  if (const Millis rest = dependencies_.deferred_teardown.rest(); rest > Millis(0)) return rest;
  Millis next = kLater;
  for (Pool* pool : {plain_.get(), with_libraries_.get()}) {
    if (pool == nullptr) continue;
    const Pool::Maintained maintained = pool->maintain(may_warm());
    if (maintained == Pool::Maintained::kMade) next = std::min(next, kNow);
    if (maintained == Pool::Maintained::kWanted) next = std::min(next, kSoon);
  }
  return next;
}

void Service::discard_warm() {
  if (!looked_) return;
  plain_->discard();
  if (with_libraries_) with_libraries_->discard();
}

}  // namespace paddock::snippets
