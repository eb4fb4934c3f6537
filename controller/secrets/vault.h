// Where the keys of Secrets are: one file beside the store, of mode 0600, made when the first
// Secret is. It is read each time, so that a file that was put back counts at once. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "common/base/guarded.h"
#include "common/contracts/secret.h"
#include "controller/secrets/key_ring.h"

namespace paddock::secrets {

class Vault {
 public:
  // An empty path: in memory alone, for a store that is.
  explicit Vault(std::string path = {}) : path_(std::move(path)) {}

  // Empty where there is no file. SECRET_KEY_DAMAGED. May be asked inside a transaction: then what
  // is sealed is sealed with the key that rotate() leaves, whichever comes first.
  Result<KeyRing> keys() const;
  // The key that seals now; makes the first one. SECRET_KEY_MISSING where values are sealed already
  // and not all of their keys are there.
  Result<SealKey> make_ready(store::Store& store, Random& random);
  // Whether every key is there that a value is sealed with. SECRET_KEY_MISSING, SECRET_KEY_DAMAGED.
  Status check(store::Store& store);
  // Lets the store know which key seals, where it has values and does not know that yet.
  Status tell(store::Store& store);
  // Adds those of `more` that the file lacks and `wanted` says of; whether there were any.
  // SECRET_KEY_DAMAGED. Nobody else's key becomes one that seals: what the store knows decides.
  Result<bool> add(const KeyRing& more, const std::function<bool(const SealKey&)>& wanted);
  // The same, of those that the store has values of or seals with.
  Result<bool> add_known(const KeyRing& more, store::Store& store);
  // All values of a Secret, by name. Not inside a transaction.
  Result<std::map<std::string, std::string>> open_values(store::Store& store, const Place& place);
  // A new key, every value sealed with it, and the old ones forgotten; or nothing of it. `record`
  // is a part of the transaction that seals. `to`: the id of a key that is in the file and that
  // nothing is sealed with. Without it, where other controllers follow: STANDBY_FILES_DIFFER, which
  // names such a key, so that the others have it first. Not inside a transaction.
  using Record = std::function<Status(store::WriteTxn&, const contracts::SecretKeyRotation&)>;
  Result<contracts::SecretKeyRotation> rotate(store::Store& store, Random& random,
                                              const Record& record, const std::string& to = {});

 private:
  Status keep(const KeyRing& ring);
  Result<bool> add_locked(const KeyRing& more, const std::function<bool(const SealKey&)>& wanted);
  Error make_next(const KeyRing& before, const KnownKeys& known, Random& random);

  const std::string path_;
  Guarded<KeyRing> in_memory_;
  std::mutex rotation_;  // held by who needs rows and keys that belong together
};

Result<KnownKeys> known_keys(store::ReadTxn& txn);

// Seals values in place of those of the same names, with the key that the store knows; it knows the
// one that seals first. SECRET_KEY_MISSING.
Status put_values(store::WriteTxn& txn, const KeyRing& ring, const Place& place,
                  const std::map<std::string, std::string>& plain, Random& random);

}  // namespace paddock::secrets
