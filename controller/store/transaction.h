// The operations of one transaction of the store (store.h), whatever its engine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/contracts/audit.h"
#include "common/contracts/audit_chain.h"
#include "common/contracts/events.h"
#include "common/contracts/grant.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/secret.h"
#include "common/contracts/tool_token.h"
#include "common/contracts/volume.h"
#include "common/contracts/workspace.h"
#include "controller/runs/measures.h"
#include "controller/store/records.h"

namespace paddock::store {

// STORE_DATA_INVALID: another version wrote it, or its row is damaged.
Error cannot_be_read(std::string_view kind, const Key& key);
bool is_unreadable(const Error& error);

class ReadTxn {
 public:
  virtual ~ReadTxn() = default;
  // T is one of the kinds of resources. NotFound (RUN_NOT_FOUND, WORKSPACE_NOT_FOUND, …).
  template <class T>
  Result<T> get(const Key& key);
  template <class T>
  Result<std::optional<T>> find(const Key& key);
  // The one that is kept for all who read this state of it, which is not copied. Null: there is
  // none.
  template <class T>
  Result<std::shared_ptr<const T>> look_at(const Key& key);
  // Nothing too where it cannot be read, which the log then tells: for who looks through many.
  template <class T>
  Result<std::optional<T>> find_readable(const Key& key);
  template <class T>
  Result<Page<T>> list(const ListOptions& options);
  virtual Result<bool> exists(std::string_view kind, const Key& key) = 0;
  // Names of a namespace's objects, from `from` on and before `end`, in the order of their bytes.
  virtual Result<std::vector<std::string>> names(std::string_view kind, const Key& from,
                                                 const std::string& end) = 0;
  // The resource version of an object, without reading it.
  virtual Result<std::optional<int64_t>> version_of(std::string_view kind, const Key& key) = 0;

  virtual Result<std::optional<ObjectHead>> head(std::string_view kind, const Key& key) = 0;

  // Announces that these runs or objects will be read or written in this transaction, so that an
  // engine that is far away can read all of it at once beforehand. They need not exist; the calls
  // only save time.
  virtual Status expect_runs(const std::vector<std::string>& uids) = 0;
  virtual Status expect_objects(const std::vector<NewObject>& objects) = 0;

  virtual Result<contracts::Run> run_by_uid(const std::string& uid) = 0;
  // As look_at().
  virtual Result<std::shared_ptr<const contracts::Run>> look_at_run(const std::string& uid) = 0;
  // Every run whose phase is not terminal, oldest first.
  virtual Result<std::vector<contracts::Run>> active_runs() = 0;
  // The same one after the other, so that they are not all in memory.
  virtual Status visit_active_runs(const std::function<void(const contracts::Run&)>& visit) = 0;
  virtual Result<std::vector<contracts::Run>> active_runs_on(const std::string& node) = 0;
  virtual Status visit_active_runs_on(const std::string& node,
                                      const std::function<void(const contracts::Run&)>& visit) = 0;

  // Objects that were written after a resource version, oldest first; nothing if that part of the
  // history is gone already, and the reader must start over.
  struct Change {
    std::string kind;
    Key key;
  };
  virtual Result<std::optional<std::vector<Change>>> changes_after(int64_t resource_version) = 0;
  // How many of a kind were erased after a resource version that is in the history still.
  virtual Result<int64_t> erased_after(std::string_view kind, int64_t resource_version) = 0;
  // How many runs have ended, in one namespace or in all. Each of them is looked at.
  virtual Result<int64_t> finished_count(const std::optional<std::string>& name_space = {}) = 0;
  struct Finished {
    Key key;
    int64_t finished_ms = 0;
  };
  // The runs that ended first, up to a time.
  virtual Result<std::vector<Finished>> oldest_finished(int64_t until_ms, int64_t limit) = 0;

  virtual Result<std::vector<contracts::RunEvent>> run_events(const std::string& run_uid,
                                                              int64_t after, int64_t limit) = 0;
  // By run in the order of creation, then by event.
  virtual Result<std::vector<PhaseRecord>> phase_records(const PhaseQuery& query) = 0;
  virtual Result<int64_t> last_event_id(const std::string& run_uid) = 0;
  // The highest output chunk of this attempt that is stored as an event; 0 if none.
  virtual Result<int64_t> output_acked(const std::string& run_uid, int64_t attempt) = 0;
  // The same of a node's active runs, by uid and attempt; whose output is not named has 0.
  using Attempt = std::pair<std::string, int64_t>;
  using AckedOutput = std::map<Attempt, int64_t>;
  virtual Result<AckedOutput> output_acked_on(const std::string& node) = 0;

  // About an agent run's attempt: the start of a line of output whose end is not stored yet; the
  // lines for its input that its node has not acknowledged, in order; whether a tool use was
  // answered.
  virtual Result<std::string> open_line(const std::string& run_uid, int64_t attempt) = 0;
  virtual Result<std::vector<contracts::RunInput>> run_inputs(const std::string& run_uid,
                                                              int64_t attempt) = 0;
  // The same of a node's active runs.
  using RunInputs = std::map<Attempt, std::vector<contracts::RunInput>>;
  virtual Result<RunInputs> run_inputs_on(const std::string& node) = 0;
  virtual Result<bool> was_answered(const std::string& run_uid, int64_t attempt,
                                    const std::string& tool_use_id) = 0;
  // In the order they were written, whichever were asked for.
  virtual Result<std::vector<contracts::AuditEvent>> audit_events(const AuditQuery& query) = 0;
  // The records of all namespaces as they are stored, behind `after` or from the first that is
  // kept: at most `limit`, fewer when they are long. Damage is no error here: verifying the chain
  // finds it.
  virtual Result<contracts::AuditChainPage> audit_chain(std::optional<int64_t> after,
                                                        int64_t limit) = 0;
  // The newest record; when there is none, the newest that was forgotten.
  virtual Result<contracts::ChainPlace> audit_head() = 0;

  virtual Result<std::optional<TokenRecord>> token_by_hash(const std::string& hash) = 0;
  virtual Result<std::vector<TokenRecord>> tokens() = 0;
  virtual Result<std::optional<FoundToolSecret>> tool_secret(const std::string& hash) = 0;
  virtual Result<std::vector<Key>> tool_tokens_of(const std::string& run_uid) = 0;
  virtual Result<std::vector<Key>> tool_tokens_expired_before(int64_t time_ms, int64_t limit) = 0;
  // Sessions that have not ended: the uids of a node's, and how many each node has.
  virtual Result<std::vector<std::string>> sessions_on(const std::string& node) = 0;
  virtual Result<std::vector<Key>> session_keys_on(const std::string& node) = 0;
  virtual Result<std::vector<Key>> living_sessions() = 0;
  virtual Result<std::map<std::string, int64_t>> session_counts() = 0;
  // Sessions that are due to be looked at, and the time at which the next one is.
  virtual Result<std::vector<DueSession>> sessions_due(int64_t now_ms, int64_t limit) = 0;
  virtual Result<std::optional<int64_t>> next_session_due() = 0;
  // The tool bundle of a run that has one and has not ended.
  virtual Result<std::optional<std::string>> tool_bundle(const std::string& run_uid) = 0;
  // Whether a node sent this blob as one that the run left. Only for a run that has not ended.
  virtual Result<bool> was_sent(const std::string& run_uid, const std::string& digest) = 0;
  // By name.
  virtual Result<std::vector<SealedValue>> sealed_values(const std::string& secret_uid) = 0;
  // The values of all Secrets, and the keys that any of them is sealed with.
  virtual Result<std::vector<FoundSealedValue>> all_sealed_values() = 0;
  virtual Result<std::vector<std::string>> sealing_keys() = 0;
  // Small settings and per-object facts that are not part of any API object.
  virtual Result<std::optional<std::string>> setting(const std::string& key) = 0;
  // The objects that an earlier request with this key made and that still exist, and that request's
  // digest.
  struct IdempotentCreate {
    std::string name;
    std::string request_digest;
  };
  virtual Result<std::vector<IdempotentCreate>> idempotent_creates(const std::string& scope,
                                                                   const std::string& key) = 0;
  virtual Result<int64_t> resource_version() = 0;

 protected:
  // Objects as JSON text in one table; the templates decode.
  struct Row {
    std::string data;
    int64_t resource_version = 0;
    std::shared_ptr<const void> decoded = {};  // as its kind's type; there is no data then
    Key key = {};                              // of lists alone
  };
  virtual Result<std::optional<Row>> find_row(std::string_view kind, const Key& key) = 0;
  // Keeps the decoded object for the next reader of this state of it. `bytes`: the size of its
  // text.
  virtual void keep_decoded(int64_t resource_version, std::shared_ptr<const void> object,
                            size_t bytes) = 0;
  template <class T>
  Result<T> decode(const Row& row);
  template <class T>
  Result<std::shared_ptr<const T>> decode_once(const Row& row);
  virtual Result<Page<Row>> list_rows(std::string_view kind, const ListOptions& options) = 0;
};

class WriteTxn : public ReadTxn {
 public:
  // Sets metadata.resourceVersion. AlreadyExists (RUN_ALREADY_EXISTS, …) if the key is taken.
  // Needs metadata.uid.
  template <class T>
  Status create(T& object);
  // Conflict (STALE_RESOURCE_VERSION) unless metadata.resourceVersion is the stored one; then sets
  // the new one. Writing what is already stored changes nothing; with kAlways nobody looks whether
  // it is: for what certainly differs.
  enum class Write { kIfChanged, kAlways };
  template <class T>
  Status update(T& object, Write when = Write::kIfChanged);
  // With it go the idempotency keys that made it; with a run its events. NotFound if there is no
  // such object.
  template <class T>
  Status erase(const Key& key);

  // Sets event.id to the next one of this run. A change of phase is announced (phase_records.h),
  // and again as deleted when its run is.
  virtual Status append_event(const std::string& run_uid, contracts::RunEvent& event) = 0;
  virtual Status put_output_acked(const std::string& run_uid, int64_t attempt, int64_t seq) = 0;
  virtual Status put_open_line(const std::string& run_uid, int64_t attempt,
                               const std::string& line) = 0;
  // Sets input.seq to the next one of this attempt. AlreadyExists (TOOL_USE_ANSWERED).
  virtual Status append_input(const std::string& run_uid, int64_t attempt,
                              const std::string& tool_use_id, contracts::RunInput& input) = 0;
  virtual Status ack_inputs(const std::string& run_uid, int64_t attempt, int64_t seq) = 0;
  // Sets event.id, and links it to the one before it. Never changed afterwards.
  virtual Status append_audit(contracts::AuditEvent& event) = 0;
  // Forgets at most `most` of the oldest audit events, and keeps the last one's place in the chain:
  // older than `before_ms`, or more than `keep`. Never the newest one.
  virtual Result<int64_t> prune_audit(int64_t before_ms, int64_t keep, int64_t most) = 0;
  virtual Status put_token(const TokenRecord& token) = 0;  // by id
  // Forgets at most `most` of the tokens that ended longer than `kept_ms` ago, with what is kept of
  // their use. One that was revoked early ended when this first saw it.
  virtual Result<int64_t> prune_tokens(int64_t now_ms, int64_t kept_ms, int64_t most) = 0;
  // After its object; goes with it.
  virtual Status put_tool_secret(const ToolSecret& secret) = 0;
  // After its object; goes with it.
  virtual Status put_session_due(const std::string& uid, int64_t due_ms) = 0;
  // All of them.
  virtual Status put_off_sessions(int64_t by_ms) = 0;
  // After its run; goes with it at the latest.
  virtual Status put_tool_bundle(const std::string& run_uid, const std::string& bundle) = 0;
  virtual Status drop_tool_bundle(const std::string& run_uid) = 0;
  // After its run; noting it again changes nothing. They go with the run's end.
  virtual Status put_sent_blob(const std::string& run_uid, const std::string& digest) = 0;
  virtual Status drop_sent_blobs(const std::string& run_uid) = 0;
  // Drops the inputs of earlier attempts, which nobody reads any more.
  virtual Status drop_inputs_before(const std::string& run_uid, int64_t attempt) = 0;
  // Once the Secret itself is written. Takes the place of a value of that name, and is erased with
  // its Secret.
  virtual Status put_sealed_value(const std::string& secret_uid, const SealedValue& value) = 0;
  virtual Status drop_sealed_value(const std::string& secret_uid, const std::string& name) = 0;
  virtual Status put_setting(const std::string& key, const std::string& value) = 0;
  // `item`: which of the request's objects. The key is visible ASCII.
  virtual Status put_idempotent_create(const std::string& scope, const std::string& key,
                                       size_t item, const IdempotentCreate& made) = 0;
  // Waiters on this topic (controller/events) are woken after the commit.
  virtual void touch(const std::string& topic) = 0;
  // Told after the commit, with what it took (StoreOptions::on_measured).
  virtual void measure(runs::Measures measures) = 0;

 protected:
  // Columns that are kept beside an object's text, to find the object without reading it.
  struct Columns {
    bool active = false;
    std::string node;
    std::optional<int64_t> finished_ms;
  };
  template <class T>
  static Columns columns_of(const T& object);
  // The resource version that the object has then.
  virtual Result<int64_t> insert_row(std::string_view kind, contracts::ObjectMeta& meta,
                                     const std::function<std::string()>& encode,
                                     const Columns& columns) = 0;
  virtual Result<int64_t> update_row(std::string_view kind, contracts::ObjectMeta& meta,
                                     const std::function<std::string()>& encode,
                                     const Columns& columns, Write when) = 0;
  virtual Status delete_row(std::string_view kind, const Key& key) = 0;
};

}  // namespace paddock::store

#include "controller/store/store_templates.h"  // NOLINT: the bodies of the templates above
