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
  // An empty path keeps the keys in memory alone, for a store in memory.
  explicit Vault(std::string path = {}) : path_(std::move(path)) {}

  // Empty where there is no file. SECRET_KEY_DAMAGED. May be asked inside a transaction: then what
  // is sealed is sealed with the key that rotate() leaves, whichever comes first.
  Result<KeyRing> keys() const;
  // The key that seals now; makes the first one. SECRET_KEY_MISSING where values are sealed already
  // and not all of their keys are there.
  Result<SealKey> make_ready(store::Store& store, Random& random);
  // Whether all keys are there with which values are sealed. SECRET_KEY_MISSING,
  // SECRET_KEY_DAMAGED.
  Status check(store::Store& store);
  // Tells the store which key seals, if it has values and does not know that yet.
  Status tell(store::Store& store);
  // Adds the keys of `more` that the file lacks and `wanted` accepts; whether there were any.
  // SECRET_KEY_DAMAGED. None of them seals because of that: the store says which key does.
  Result<bool> add(const KeyRing& more, const std::function<bool(const SealKey&)>& wanted);
  // The same for keys with which the store's values are sealed, or will be.
  Result<bool> add_known(const KeyRing& more, store::Store& store);
  // All values of a Secret, by name. Not inside a transaction.
  Result<std::map<std::string, std::string>> open_values(store::Store& store, const Place& place);
  // Makes a key, seals every value with it and forgets the old keys; all of it or nothing. `record`
  // runs in the transaction that seals. `to`: the id of a key in the file with which nothing is
  // sealed, to be used instead of a new one. Where standbys follow it has to be given: without it
  // the answer is STANDBY_FILES_DIFFER, which names such a key, so that the standbys can get it
  // first. Not inside a transaction.
  using Record = std::function<Status(store::WriteTxn&, const contracts::SecretKeyRotation&)>;
  Result<contracts::SecretKeyRotation> rotate(store::Store& store, Random& random,
                                              const Record& record, const std::string& to = {});

 private:
  Status keep(const KeyRing& ring);
  Result<bool> add_locked(const KeyRing& more, const std::function<bool(const SealKey&)>& wanted);
  Error make_next(const KeyRing& before, const KnownKeys& known, Random& random);

  const std::string path_;
  Guarded<KeyRing> in_memory_;
  std::mutex rotation_;  // held while rows and keys have to match
};

Result<KnownKeys> known_keys(store::ReadTxn& txn);

// Seals values, in place of those of the same names, with the key that the store names; the first
// one that seals becomes that key. SECRET_KEY_MISSING.
Status put_values(store::WriteTxn& txn, const KeyRing& ring, const Place& place,
                  const std::map<std::string, std::string>& plain, Random& random);

}  // namespace paddock::secrets
