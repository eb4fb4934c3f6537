// The record of everything: objects, run events, tokens, in one SQLite file (WAL,
// synchronous=FULL), or in a PostgreSQL database of which one controller is the leader: the only
// one that writes. Writers call write(): their functions run one after another in one transaction
// per batch, each in a savepoint, and write() returns only after the COMMIT. There is no writer
// thread: the first caller that finds none at work commits for everybody who waits (group commit).
// Readers use read(): a snapshot on a connection of their own. Both may be called from any thread.
// The store never reads a clock and never makes an id.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "controller/base/stopwatch.h"
#include "controller/runs/measures.h"
#include "controller/store/records.h"
#include "controller/store/transaction.h"

namespace paddock::store {

// A PostgreSQL database, in place of a file.
struct PostgresOptions {
  std::string url;  // as libpq takes it, with its password
  // Whose lease it is: this one may take it over at once, any other when it has run out.
  std::string holder;
  std::string holder_name = "a controller";  // for people: on which host
  Millis lease{10'000};                      // on the database's clock
  Millis patience{20'000};                   // with a commit that has no answer
  size_t most_readers = 8;                   // connections for reading
  // Nothing is written here any more. Once, on any thread; must not call the store.
  std::function<void()> on_fenced = {};
  // The lease ran out here and nobody has confirmed since that this one leads (false): reads and
  // changes are refused (NOT_LEADER), and those who wait for news are to be told. Or it is
  // confirmed again (true). In turn, on a thread of the store's; must not call the store.
  std::function<void(bool)> on_lead_confirmed = {};
};

struct StoreOptions {
  std::string path;  // empty: in memory (tests, simulator)
  // A file of at most so many bytes is looked at as a whole before it is used; a larger one
  // meanwhile. Damage found then ends all writes: STORE_CORRUPT.
  int64_t checked_at_start = int64_t{256} << 20;
  // Called after each commit with the topics it touched, each once. Must not call the store.
  std::function<void(const std::vector<std::string>&)> on_commit = {};
  // Called before on_commit with what the commit changed, in the order of resource versions; one
  // call after another, whichever thread commits. Must not call the store.
  std::function<void(std::vector<ObjectWrite>)> on_changes = {};
  // Called after each commit that wrote, likewise, with how long the batch took until it was on the
  // disk and what was measured of the runs in it.
  std::function<void(Micros, const std::vector<runs::Measures>&)> on_measured = {};
  // Bytes of the disk that are kept for changes that free something, fewer on a small disk; 0:
  // none. Only for a store in a file.
  int64_t reserve = 0;
  std::optional<PostgresOptions> postgres = {};  // no path then
};

// The kind of room that a change frees. Changes that end runs bring output with them, and may not
// use up the room that deletions need.
enum class Frees { kSpace, kRuns };
inline bool is_full(const Status& written) {
  return !written.ok() && written.error().reason == "STORE_FULL";
}

class Store {
 public:
  virtual ~Store() = default;
  // Refuses, with a stable reason: STORE_CORRUPT, STORE_SCHEMA_TOO_NEW, STORE_NOT_OURS,
  // STORE_LOCKED, STORE_PATH_UNSUITABLE (a network file system), STORE_UNWRITABLE; STORE_FULL,
  // STORE_IO, STORE_BUSY as write(). Holds `<path>.lock` while it lives. Of PostgreSQL also:
  // STORE_AWAY, STORE_LOGIN_REFUSED, STORE_TLS_UNVERIFIED, STORE_READ_ONLY, STORE_URL_INVALID;
  // STORE_LOCKED while another holder's lease lives.
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);

  // Runs `change` and commits. If it returns an error, nothing of it is kept. `change` may run on
  // another caller's thread; it must not call write() or read() and should not wait for anything.
  // Unavailable (STORE_FULL, STORE_IO, STORE_BUSY; of PostgreSQL STORE_AWAY, STORE_FENCED): nothing
  // was kept. STORE_OUTCOME_UNKNOWN: it went away as it committed, so nobody can say yet.
  virtual Status write(const std::function<Status(WriteTxn&)>& change) = 0;
  // The same for what makes these objects: an engine that is far away looks beforehand, for all of
  // a batch at once, whether they are there. What is said here never makes a difference otherwise.
  virtual Status write_new(const std::vector<NewObject>& /*makes*/,
                           const std::function<Status(WriteTxn&)>& change) {
    return write(change);
  }
  // The same for what frees something: it is written on a full disk too, in the reserve, as long as
  // there is any of that. Nothing that can be asked for without end may come here. `change` may run
  // twice, once more after all that it wrote was undone: it begins with nothing of the first time.
  virtual Status write_freeing(const std::function<Status(WriteTxn&)>& change,
                               Frees /*what*/ = Frees::kSpace) {
    return write(change);
  }
  virtual Status read(const std::function<Status(ReadTxn&)>& look) = 0;
  // As ReadTxn::token_by_hash(): what every request asks for, and mostly known without a read.
  virtual Result<std::optional<TokenRecord>> token_by_hash(const std::string& hash);

  // Whether the disk takes writes: free of cost while the last commit that wrote succeeded; after
  // one that the disk refused (STORE_FULL, STORE_IO, STORE_BUSY) this tries one of 64 KiB itself.
  virtual Status check_writable() = 0;
};

}  // namespace paddock::store
