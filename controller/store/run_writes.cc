#include "controller/store/run_writes.h"

namespace paddock::store {

namespace {

Status append_all(WriteTxn& txn, const contracts::Run& run, runs::Events& events) {
  for (contracts::RunEvent& event : events) TRY(txn.append_event(run.metadata.uid, event));
  txn.touch(run_topic(run.metadata.uid));
  return {};
}

}  // namespace

Status create_run(WriteTxn& txn, contracts::Run& run, runs::Events events) {
  TRY(txn.create(run));
  TRY(append_all(txn, run, events));
  txn.touch(kSchedulerTopic);
  return {};
}

Status save_run(WriteTxn& txn, contracts::Run& run, runs::Events events) {
  const std::string before = run.metadata.resource_version;
  TRY(txn.update(run));
  if (run.metadata.resource_version == before && events.empty()) return {};
  TRY(append_all(txn, run, events));
  if (!run.status.node_name.empty()) txn.touch(node_topic(run.status.node_name));
  const bool over = contracts::is_terminal(run.status.phase) || run.status.reason == runs::kRetry;
  if (over) txn.touch(kSchedulerTopic);
  return {};
}

}  // namespace paddock::store
