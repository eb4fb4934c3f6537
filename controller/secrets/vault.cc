#include "controller/secrets/vault.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/os/file.h"

namespace paddock::secrets {
namespace {

constexpr size_t kMostKeyFileBytes = 64 << 10;

Result<int64_t> seal_anew(store::WriteTxn& txn, const KeyRing& ring, Random& random) {
  ASSIGN_OR_RETURN(const auto found, txn.all_sealed_values());
  for (const store::FoundSealedValue& each : found) {
    const Place place{each.secret, each.secret_uid};
    ASSIGN_OR_RETURN(const std::string plain, open(ring, place, each.value));
    TRY(txn.put_sealed_value(each.secret_uid, seal(ring, place, each.value.name, plain, random)));
  }
  return static_cast<int64_t>(found.size());
}

}  // namespace

Result<KeyRing> Vault::keys() const {
  if (path_.empty()) return in_memory_.with([](const KeyRing& ring) { return ring; });
  if (!os::exists(path_)) return KeyRing();
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path_, kMostKeyFileBytes));
  return parse_ring(text);
}

Status Vault::keep(const KeyRing& ring) {
  if (!path_.empty()) return os::write_file_atomic(path_, ring_text(ring), 0600);
  in_memory_.with([&](KeyRing& kept) { kept = ring; });
  return {};
}

Status Vault::make_ready(store::Store& store, Random& random) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing ring, keys());
  if (!ring.empty()) return {};
  std::vector<std::string> in_use;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(in_use, txn.sealing_keys());
    return {};
  }));
  if (!in_use.empty()) return key_missing();
  return keep(KeyRing{{make_key(random)}});
}

Status Vault::check(store::Store& store) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing ring, keys());
  return store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const std::vector<std::string> in_use, txn.sealing_keys());
    const auto there = [&](const std::string& id) { return ring.find(id) != nullptr; };
    return std::ranges::all_of(in_use, there) ? Status() : Status(key_missing());
  });
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

// The new key is on the disk before anything is sealed with it, and the old ones go when nothing is
// sealed with them any more: whenever this ends early, the file has every key that is in use.
Result<contracts::SecretKeyRotation> Vault::rotate(store::Store& store, Random& random,
                                                   const Record& record) {
  const std::lock_guard lock(rotation_);
  ASSIGN_OR_RETURN(const KeyRing before, keys());
  KeyRing both{{make_key(random)}};
  both.keys.insert(both.keys.end(), before.keys.begin(), before.keys.end());
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

Status put_values(store::WriteTxn& txn, const KeyRing& ring, const Place& place,
                  const std::map<std::string, std::string>& plain, Random& random) {
  for (const auto& [name, value] : plain)
    TRY(txn.put_sealed_value(place.secret_uid, seal(ring, place, name, value, random)));
  return {};
}

}  // namespace paddock::secrets
