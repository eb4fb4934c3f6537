// The operations inside one transaction, in SQL. The caller begins and ends the transaction. One
// file per subject: objects, their history, events, the audit log, tokens and settings.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "controller/store/sql/connection.h"
#include "controller/store/sql/decoded_cache.h"
#include "controller/store/sql/read_ahead.h"
#include "controller/store/store.h"

namespace paddock::store::sql {

class Transaction final : public WriteTxn {
 public:
  Transaction(Connection& db, DecodedCache& cache) : db_(db), cache_(cache) {}

  Result<bool> exists(std::string_view kind, const Key& key) override;
  Result<std::vector<std::string>> names(std::string_view kind, const Key& from,
                                         const std::string& end) override;
  Result<std::optional<int64_t>> version_of(std::string_view kind, const Key& key) override;
  Result<std::optional<ObjectHead>> head(std::string_view kind, const Key& key) override;
  Status expect_runs(const std::vector<std::string>& uids) override;
  Status expect_objects(const std::vector<NewObject>& objects) override;
  Result<contracts::Run> run_by_uid(const std::string& uid) override;
  Result<std::shared_ptr<const contracts::Run>> look_at_run(const std::string& uid) override;
  Result<std::vector<contracts::Run>> active_runs() override;
  Status visit_active_runs(const std::function<void(const contracts::Run&)>& visit) override;
  Result<std::vector<contracts::Run>> active_runs_on(const std::string& node) override;
  Status visit_active_runs_on(const std::string& node,
                              const std::function<void(const contracts::Run&)>& visit) override;
  Result<int64_t> resource_version() override;

  Result<std::optional<std::vector<Change>>> changes_after(int64_t resource_version) override;
  Result<int64_t> erased_after(std::string_view kind, int64_t resource_version) override;
  Result<int64_t> finished_count(const std::optional<std::string>& name_space) override;
  Result<std::vector<Finished>> oldest_finished(int64_t until_ms, int64_t limit) override;

  Result<std::vector<contracts::RunEvent>> run_events(const std::string& run_uid, int64_t after,
                                                      int64_t limit) override;
  Result<std::vector<PhaseRecord>> phase_records(const PhaseQuery& query) override;
  Result<int64_t> last_event_id(const std::string& run_uid) override;
  Result<int64_t> output_acked(const std::string& run_uid, int64_t attempt) override;
  Result<AckedOutput> output_acked_on(const std::string& node) override;
  Status append_event(const std::string& run_uid, contracts::RunEvent& event) override;
  Status put_output_acked(const std::string& run_uid, int64_t attempt, int64_t seq) override;

  Result<std::string> open_line(const std::string& run_uid, int64_t attempt) override;
  Result<std::vector<contracts::RunInput>> run_inputs(const std::string& run_uid,
                                                      int64_t attempt) override;
  Result<RunInputs> run_inputs_on(const std::string& node) override;
  Result<bool> was_answered(const std::string& run_uid, int64_t attempt,
                            const std::string& tool_use_id) override;
  Status put_open_line(const std::string& run_uid, int64_t attempt,
                       const std::string& line) override;
  Status append_input(const std::string& run_uid, int64_t attempt, const std::string& tool_use_id,
                      contracts::RunInput& input) override;
  Status ack_inputs(const std::string& run_uid, int64_t attempt, int64_t seq) override;
  Result<std::vector<contracts::AuditEvent>> audit_events(const AuditQuery& query) override;
  Result<contracts::AuditChainPage> audit_chain(std::optional<int64_t> after,
                                                int64_t limit) override;
  Result<contracts::ChainPlace> audit_head() override;
  Status append_audit(contracts::AuditEvent& event) override;
  Result<int64_t> prune_audit(int64_t before_ms, int64_t keep, int64_t most) override;

  Result<std::optional<TokenRecord>> token_by_hash(const std::string& hash) override;
  Result<std::vector<TokenRecord>> tokens() override;
  Status put_token(const TokenRecord& token) override;
  Result<int64_t> prune_tokens(int64_t now_ms, int64_t kept_ms, int64_t most) override;
  Result<std::optional<FoundToolSecret>> tool_secret(const std::string& hash) override;
  Result<std::vector<Key>> tool_tokens_of(const std::string& run_uid) override;
  Result<std::vector<Key>> tool_tokens_expired_before(int64_t time_ms, int64_t limit) override;
  Status put_tool_secret(const ToolSecret& secret) override;
  Result<std::vector<std::string>> sessions_on(const std::string& node) override;
  Result<std::vector<Key>> session_keys_on(const std::string& node) override;
  Result<std::vector<Key>> living_sessions() override;
  Result<std::map<std::string, int64_t>> session_counts() override;
  Result<std::vector<DueSession>> sessions_due(int64_t now_ms, int64_t limit) override;
  Result<std::optional<int64_t>> next_session_due() override;
  Status put_session_due(const std::string& uid, int64_t due_ms) override;
  Status put_off_sessions(int64_t by_ms) override;
  Result<std::optional<std::string>> tool_bundle(const std::string& run_uid) override;
  Status put_tool_bundle(const std::string& run_uid, const std::string& bundle) override;
  Status drop_tool_bundle(const std::string& run_uid) override;
  Result<bool> was_sent(const std::string& run_uid, const std::string& digest) override;
  Status put_sent_blob(const std::string& run_uid, const std::string& digest) override;
  Status drop_sent_blobs(const std::string& run_uid) override;
  Status drop_inputs_before(const std::string& run_uid, int64_t attempt) override;
  Result<std::vector<SealedValue>> sealed_values(const std::string& secret_uid) override;
  Result<std::vector<FoundSealedValue>> all_sealed_values() override;
  Result<std::vector<std::string>> sealing_keys() override;
  Status put_sealed_value(const std::string& secret_uid, const SealedValue& value) override;
  Status drop_sealed_value(const std::string& secret_uid, const std::string& name) override;
  Result<std::optional<std::string>> setting(const std::string& key) override;
  Status put_setting(const std::string& key, const std::string& value) override;
  Result<std::vector<IdempotentCreate>> idempotent_creates(const std::string& scope,
                                                           const std::string& key) override;
  Status put_idempotent_create(const std::string& scope, const std::string& key, size_t item,
                               const IdempotentCreate& made) override;

  void touch(const std::string& topic) override { topics_.push_back(topic); }
  void measure(runs::Measures measures) override { measures_.push_back(std::move(measures)); }
  // The topics that were touched so far. Undoing a savepoint cuts the list back.
  std::vector<std::string>& topics() { return topics_; }
  // Likewise, the objects that were changed, and what was measured.
  std::vector<ObjectWrite>& object_writes() { return object_writes_; }
  std::vector<runs::Measures>& measures() { return measures_; }
  // Decoded objects of uncommitted rows: given to all readers once they are committed, dropped
  // after a savepoint was undone.
  void publish_decoded();
  void forget_decoded() {
    decoded_.clear();
    heads_.clear();
    ahead_.clear();
    newest_.reset();
  }
  // Or would have been, in a savepoint that was undone.
  bool tokens_changed() const { return tokens_changed_; }

 protected:
  Result<std::optional<Row>> find_row(std::string_view kind, const Key& key) override;
  Result<Page<Row>> list_rows(std::string_view kind, const ListOptions& options) override;
  Result<int64_t> insert_row(std::string_view kind, contracts::ObjectMeta& meta,
                             const std::function<std::string()>& encode,
                             const Columns& columns) override;
  Result<int64_t> update_row(std::string_view kind, contracts::ObjectMeta& meta,
                             const std::function<std::string()>& encode, const Columns& columns,
                             Write when) override;
  void keep_decoded(int64_t resource_version, std::shared_ptr<const void> object,
                    size_t bytes) override;
  Status delete_row(std::string_view kind, const Key& key) override;

 private:
  // Its text, whether it is decoded already or not.
  Result<std::optional<Row>> find_text(std::string_view kind, const Key& key);
  Statement select_row(std::string_view kind, const Key& key);
  void take_ahead(std::vector<AheadRow> rows);
  void keep_ahead(std::string_view kind, const Key& key, const Statement& row);
  Row row_of(const AheadRow& row);
  Row row_of(const Statement& row);  // of `SELECT data, resource_version`
  // Of `SELECT data, resource_version`.
  Status visit_runs(Statement rows, const std::function<void(const contracts::Run&)>& visit);
  // The start of a line of output, in its parts.
  struct OpenLine {
    std::string text;
    size_t last_begins = 0;  // the last part, in the text
    int64_t last_part = 0;
  };
  Result<OpenLine> parts_of_line(const std::string& run_uid, int64_t attempt);
  // Rows of this kind behind a key, in the order of list_rows.
  Result<int64_t> count_rows(std::string_view kind, const ListOptions& options, const Key& after);
  Statement select_rows(std::string_view kind, const ListOptions& options, const Key& after);
  Statement select_newest(std::string_view kind, const ListOptions& options);
  Status list_newest(std::string_view kind, const ListOptions& options, Page<Row>& page);
  Status add_row(std::string_view kind, const Key& key, const Key& after, Page<Row>& page);
  // Forgets the idempotency keys that made this object, so that a request with such a key can make
  // it again.
  Status forget_creates(std::string_view kind, const Key& key);
  // A new resource version.
  Result<int64_t> record_change(std::string_view kind, const Key& key, ObjectWrite::Op op);
  // Announces the change to watches, once the row is written.
  Status announce(ObjectWrite write);
  Status keep_texts(const ObjectWrite& write);
  // The state of a run's event log that new events are appended to: read once, then kept up to
  // date.
  struct RunHead {
    int64_t object_id = 0;
    Key key;
    int64_t last_event = 0;
  };
  bool is_known_run(const std::string& uid);
  std::shared_ptr<const void> decoded_at(int64_t resource_version);
  Result<RunHead*> head_of(const std::string& run_uid);  // until another is asked for
  // A change of phase, before it is stored, which gets its number: its resource version.
  Result<int64_t> announce_phase(const std::string& run_uid, const RunHead& head,
                                 const contracts::RunEvent& event);
  // Announces the loss of the phase records of a run that is about to be erased.
  Status announce_lost_phases(const Key& run);

  Connection& db_;
  DecodedCache& cache_;
  ReadAhead ahead_;
  std::optional<int64_t> newest_;                   // resource version, once it was asked for
  std::optional<int64_t> first_drawn_;              // of the resource versions of this transaction
  std::unordered_map<int64_t, Decoded> decoded_;    // at or behind that
  std::unordered_map<std::string, RunHead> heads_;  // by the uids of runs
  bool tokens_changed_ = false;
  std::vector<std::string> topics_;
  std::vector<ObjectWrite> object_writes_;
  std::vector<runs::Measures> measures_;
};

}  // namespace paddock::store::sql
