// What is written down and counted of one request to run code, however it goes on: who asked, the
// code's digest, and what became of it. Neither the code nor what it read or printed.
#pragma once

#include <string>
#include <string_view>

#include "common/contracts/snippet_report.h"
#include "controller/api/metrics/execute_metrics.h"
#include "controller/api/server/call.h"

namespace paddock::api {

class ExecuteRecord {
 public:
  ExecuteRecord(Call& call, std::string_view code);
  // Nothing may run that will leave no record. What the store says.
  Status check() const;

  // One of these, once. What the store says.
  Status end(const contracts::SnippetReport& report);
  Status end(const Error& error);

  std::string node;  // that had it; empty: none

 private:
  contracts::AuditEvent event(Reason reason) const;
  Status write(std::vector<contracts::AuditEvent> events) const;
  Millis took() const { return call_.services.clock.mono() - arrived_; }

  Call& call_;
  MonoTime arrived_;
  std::string digest_;
  size_t code_bytes_;
};

}  // namespace paddock::api
