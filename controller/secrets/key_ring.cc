#include "controller/secrets/key_ring.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/crypto/sealed.h"

namespace paddock::secrets {
namespace {

constexpr std::string_view kFirstLine = "paddock secret keys 1";
constexpr size_t kIdBytes = 8;

std::optional<std::string> from_hex(std::string_view text) {
  std::string out;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(&text[i], &text[i] + 2, value, 16);
    if (error != std::errc() || end != &text[i] + 2) return std::nullopt;
    out += static_cast<char>(value);
  }
  if (text.size() % 2 != 0) return std::nullopt;
  return out;
}

std::string random_bytes(Random& random, size_t count) {
  std::vector<uint8_t> bytes(count);
  random.fill(bytes);
  return {bytes.begin(), bytes.end()};
}

Error damaged() {
  return {
      Code::kFailedPrecondition, "SECRET_KEY_DAMAGED",
      "secrets.key in the controller's data folder is not a whole key file, so no Secret can be "
      "written or given to a run: put it back from a copy; or remove it and delete the Secrets "
      "that were sealed with it, and a new one is made with the next Secret"};
}

std::optional<SealKey> parse_line(std::string_view line) {
  const size_t space = line.find(' ');
  if (space != 2 * kIdBytes) return std::nullopt;
  auto bytes = from_hex(line.substr(space + 1));
  if (!bytes || bytes->size() != crypto::kSealKeyBytes) return std::nullopt;
  return SealKey{std::string(line.substr(0, space)), std::move(*bytes)};
}

// No part can have a line end: these are names.
std::string bound_to(const Place& place, const std::string& name) {
  return cat(kFirstLine, "\n", place.secret.name_space, "\n", place.secret.name, "\n",
             place.secret_uid, "\n", name);
}

}  // namespace

const SealKey* KeyRing::find(std::string_view id) const {
  const auto found = std::ranges::find(keys, id, &SealKey::id);
  return found == keys.end() ? nullptr : &*found;
}

SealKey make_key(Random& random) {
  return {hex(random_bytes(random, kIdBytes)), random_bytes(random, crypto::kSealKeyBytes)};
}

std::string ring_text(const KeyRing& ring) {
  std::string out = cat(kFirstLine, "\n");
  for (const SealKey& key : ring.keys) out += cat(key.id, " ", hex(key.bytes), "\n");
  return out;
}

Result<KeyRing> parse_ring(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.size() < 3 || lines.front() != kFirstLine || !lines.back().empty()) return damaged();
  KeyRing ring;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    if (lines[i] == kFirstLine) continue;  // of a file that was put behind another one
    auto key = parse_line(lines[i]);
    if (!key) return damaged();
    const SealKey* const same = ring.find(key->id);
    if (same != nullptr && same->bytes != key->bytes) return damaged();
    if (same == nullptr) ring.keys.push_back(std::move(*key));
  }
  if (ring.empty()) return damaged();
  return ring;
}

store::SealedValue seal(const SealKey& key, const Place& place, const std::string& name,
                        std::string_view plain, Random& random) {
  return {name, key.id, crypto::seal(key.bytes, bound_to(place, name), plain, random)};
}

Result<std::string> open(const KeyRing& ring, const Place& place, const store::SealedValue& value) {
  const SealKey* key = ring.find(value.key_id);
  if (key == nullptr) return key_missing(ring, {value.key_id});
  auto plain = crypto::open_sealed(key->bytes, bound_to(place, value.name), value.sealed);
  if (plain) return std::move(*plain);
  return Error{Code::kFailedPrecondition, "SECRET_UNREADABLE",
               cat("the value ", value.name, " of the Secret ", place.secret.name,
                   " is damaged in the store; write it anew, or delete the Secret")};
}

std::string mark_of(const SealKey& key) {
  return cat(key.id, " ", crypto::sha256_hex(cat(kFirstLine, "\n", key.id, "\n", key.bytes)));
}

Result<SealKey> key_to_seal_with(const KeyRing& ring, const KnownKeys& known) {
  std::vector<std::string> missing;
  for (const std::string& id : known.in_use) {
    const SealKey* const key = ring.find(id);
    // The ring has a key with this name, but by the mark in the store it is not the key that was
    // used.
    const bool another =
        key != nullptr && known.mark.starts_with(cat(id, " ")) && known.mark != mark_of(*key);
    if (key == nullptr || another) missing.push_back(id);
  }
  if (!missing.empty() || ring.empty()) return key_missing(ring, missing);
  const auto is_marked = [&](const SealKey& key) { return mark_of(key) == known.mark; };
  const auto marked = std::ranges::find_if(ring.keys, is_marked);
  return marked == ring.keys.end() ? ring.keys.front() : *marked;
}

Error key_missing(const KeyRing& ring, const std::vector<std::string>& ids) {
  const std::string names = ids.empty() ? std::string() : cat(" (", join(ids, ", "), ")");
  if (ring.empty())
    return {Code::kFailedPrecondition, "SECRET_KEY_MISSING",
            cat("the key that this instance's Secrets are sealed with", names,
                " is not there, as the controller's data folder has no secrets.key: put that file "
                "back, from a copy or from another controller of this database (a backup of the "
                "store does not hold it); or delete the Secrets and create them anew")};
  return {Code::kFailedPrecondition, "SECRET_KEY_MISSING",
          cat("secrets.key in the controller's data folder has other keys than the one that this "
              "instance's Secrets are sealed with",
              names,
              ": append the file that has it, from a copy or from another controller of this "
              "database (cat THAT_FILE >> secrets.key), and remove nothing from the one that is "
              "there, as values may be sealed with its keys too")};
}

}  // namespace paddock::secrets
