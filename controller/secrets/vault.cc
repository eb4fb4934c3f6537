#include "controller/secrets/vault.h"

#include <algorithm>
#include <iterator>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/store/follow.h"

namespace paddock::secrets {
namespace {

constexpr size_t kMostKeyFileBytes = 64 << 10;

Result<KnownKeys> known_in(store::Store& store) {
  KnownKeys known;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(known, known_keys(txn));
    return {};
  }));
  return known;
}

Status put_mark(store::WriteTxn& txn, const KnownKeys& known, const SealKey& key) {
  const std::string mark = mark_of(key);
  return known.mark == mark ? Status() : txn.put_setting(kMarkSetting, mark);
}

// With the first key of the ring.
Result<int64_t> seal_anew(store::WriteTxn& txn, const KeyRing& ring, Random& random) {
  ASSIGN_OR_RETURN(const auto found, txn.all_sealed_values());
  for (const store::FoundSealedValue& each : found) {
    const Place place{each.secret, each.secret_uid};
    ASSIGN_OR_RETURN(const std::string plain, open(ring, place, each.value));
    TRY(txn.put_sealed_value(each.secret_uid,
                             seal(ring.keys.front(), place, each.value.name, plain, random)));
  }
  TRY(put_mark(txn, {}, ring.keys.front()));
  return static_cast<int64_t>(found.size());
}

bool is_used(const SealKey& key, const KnownKeys& known) {
  return std::ranges::find(known.in_use, key.id) != known.in_use.end() ||
         mark_of(key) == known.mark;
}

// The ring that has the next key first.
Result<KeyRing> with_next(const KeyRing& before, const KnownKeys& known, const std::string& to,
                          Random& random) {
  KeyRing out;
  if (to.empty()) {
    out.keys.push_back(make_key(random));
  } else {
    const SealKey* const next = before.find(to);
    if (next == nullptr || is_used(*next, known))
      return invalid_argument("PARAMETER_INVALID",
                              "names no key of secrets.key that nothing is sealed with", "key");
    out.keys.push_back(*next);
  }
  std::ranges::copy_if(before.keys, std::back_inserter(out.keys),
                       [&](const SealKey& key) { return key.id != to; });
  return out;
}

Error others_first(const std::string& id) {
  return {Code::kFailedPrecondition, "STANDBY_FILES_DIFFER",
          cat("other controllers follow this one, and values sealed with a key that they lack "
              "would be lost with this host. secrets.key in the data folder has the key ",
              id,
              " now, which seals nothing yet: append that file to secrets.key of each of the "
              "others (cat THAT_FILE >> secrets.key), then `paddock secret rotate-key --to ",
              id, "`")};
}

}  // namespace

Result<KeyRing> Vault::keys() const {
  if (path_.empty()) return in_memory_.with([](const KeyRing& ring) { return ring; });
  ASSIGN_OR_RETURN(const bool made, os::is_there(path_));
  if (!made) return KeyRing();
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path_, kMostKeyFileBytes));
  return parse_ring(text);
}

Status Vault::keep(const KeyRing& ring) {
  if (!path_.empty()) return os::write_file_atomic(path_, ring_text(ring), 0600);
  in_memory_.with([&](KeyRing& kept) { kept = ring; });
  return {};
}

Result<SealKey> Vault::make_ready(store::Store& store, Random& random) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing ring, keys());
  ASSIGN_OR_RETURN(const KnownKeys known, known_in(store));
  if (!ring.empty() || !known.in_use.empty()) return key_to_seal_with(ring, known);
  SealKey first = make_key(random);
  TRY(keep(KeyRing{{first}}));
  return first;
}

Status Vault::check(store::Store& store) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing ring, keys());
  ASSIGN_OR_RETURN(const KnownKeys known, known_in(store));
  if (known.in_use.empty()) return {};
  TRY(key_to_seal_with(ring, known));
  return {};
}

Status Vault::tell(store::Store& store) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KnownKeys before, known_in(store));
  if (before.in_use.empty()) return {};
  ASSIGN_OR_RETURN(const KeyRing ring, keys());
  ASSIGN_OR_RETURN(const SealKey key, key_to_seal_with(ring, before));
  if (before.mark == mark_of(key)) return {};
  return store.write([&](store::WriteTxn& txn) { return put_mark(txn, before, key); });
}

Result<bool> Vault::add(const KeyRing& more, const std::function<bool(const SealKey&)>& wanted) {
  const std::lock_guard lock(rotation_);
  return add_locked(more, wanted);
}

Result<bool> Vault::add_known(const KeyRing& more, store::Store& store) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KnownKeys known, known_in(store));
  return add_locked(more, [&](const SealKey& key) { return is_used(key, known); });
}

Result<bool> Vault::add_locked(const KeyRing& more,
                               const std::function<bool(const SealKey&)>& wanted) {
  ASSIGN_OR_RETURN(KeyRing ring, keys());
  const size_t before = ring.keys.size();
  for (const SealKey& key : more.keys)
    if (ring.find(key.id) == nullptr && wanted(key)) ring.keys.push_back(key);
  if (ring.keys.size() == before) return false;
  TRY(keep(ring));
  return true;
}

Result<std::map<std::string, std::string>> Vault::open_values(store::Store& store,
                                                              const Place& place) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing ring, keys());
  std::map<std::string, std::string> plain;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto values, txn.sealed_values(place.secret_uid));
    for (const store::SealedValue& value : values) {
      ASSIGN_OR_RETURN(plain[value.name], open(ring, place, value));
    }
    return {};
  }));
  return plain;
}

// A key that was made so before, and not used, goes: it may have leaked since.
Error Vault::make_next(const KeyRing& before, const KnownKeys& known, Random& random) {
  KeyRing out;
  std::ranges::copy_if(before.keys, std::back_inserter(out.keys),
                       [&](const SealKey& key) { return is_used(key, known); });
  out.keys.push_back(make_key(random));
  const Status kept = keep(out);
  return kept.ok() ? others_first(out.keys.back().id) : kept.error();
}

// The new key is on the disk before anything is sealed with it, and the old ones go when nothing is
// sealed with them any more: whenever this ends early, the file has every key that is in use.
Result<contracts::SecretKeyRotation> Vault::rotate(store::Store& store, Random& random,
                                                   const Record& record, const std::string& to) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing before, keys());
  ASSIGN_OR_RETURN(const KnownKeys known, known_in(store));
  // Before the file is changed: the new key must not stand in one that is not the store's.
  if (!before.empty() || !known.in_use.empty()) TRY(key_to_seal_with(before, known));
  if (to.empty() && !known.in_use.empty() && store::is_followed(store))
    return make_next(before, known, random);
  ASSIGN_OR_RETURN(const KeyRing both, with_next(before, known, to, random));
  TRY(keep(both));
  contracts::SecretKeyRotation out{both.keys.front().id};
  const Status sealed = store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(out.values, seal_anew(txn, both, random));
    return record(txn, out);
  });
  if (!sealed.ok()) {  // what else was sealed meanwhile was sealed with the new key: it stays
    log_warn("a rotation of the key of Secrets did not end",
             {{"error", sealed.error().describe()}});
    return sealed.error();
  }
  TRY(keep(KeyRing{{both.keys.front()}}));
  return out;
}

Result<KnownKeys> known_keys(store::ReadTxn& txn) {
  KnownKeys known;
  ASSIGN_OR_RETURN(known.in_use, txn.sealing_keys());
  ASSIGN_OR_RETURN(const auto mark, txn.setting(kMarkSetting));
  known.mark = mark.value_or("");
  return known;
}

Status put_values(store::WriteTxn& txn, const KeyRing& ring, const Place& place,
                  const std::map<std::string, std::string>& plain, Random& random) {
  ASSIGN_OR_RETURN(const KnownKeys known, known_keys(txn));
  ASSIGN_OR_RETURN(const SealKey key, key_to_seal_with(ring, known));
  TRY(put_mark(txn, known, key));
  for (const auto& [name, value] : plain)
    TRY(txn.put_sealed_value(place.secret_uid, seal(key, place, name, value, random)));
  return {};
}

}  // namespace paddock::secrets
