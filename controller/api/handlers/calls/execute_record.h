// Records and counts one request to run code, whatever its end: who asked, the code's digest, and
// what became of it. The code, its input and its output are not recorded.
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
  // Returns the store's error if it takes no writes: no code may run that would leave no record.
  Status check() const;

  // Records the end. One of the two is called, once; an error is the store's.
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
