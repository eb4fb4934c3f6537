#include "controller/bucket/blob_index.h"

#include <algorithm>

namespace paddock::bucket {

std::optional<BlobIndex::Entry> BlobIndex::find(const cas::Digest& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = here_.find(digest);
  return found == here_.end() ? std::nullopt : std::optional(found->second);
}

bool BlobIndex::use(const cas::Digest& digest, int64_t now_s) {
  std::unique_lock lock(mutex_);
  auto found = here_.find(digest);
  if (found == here_.end()) {
    changed_.wait(lock, [&] { return !taken_.contains(digest); });
    found = here_.find(digest);
  }
  if (found == here_.end()) return false;
  found->second.used_s = std::max(found->second.used_s, now_s);
  return true;
}

int64_t BlobIndex::growth() const {
  const std::lock_guard lock(mutex_);
  return bytes_ - found_;
}

bool BlobIndex::complete() const {
  const std::lock_guard lock(mutex_);
  return complete_;
}

void BlobIndex::found(const cas::Digest& digest, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  if (complete_ || touched_.contains(digest) || doubtful_.contains(digest)) return;
  if (!here_.try_emplace(digest, entry).second) return;
  bytes_ += entry.size;
  found_ += entry.size;
}

std::vector<cas::Blobs::Stored> BlobIndex::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<cas::Blobs::Stored> out;
  out.reserve(here_.size());
  for (const auto& [digest, entry] : here_) out.push_back({digest, entry.size, entry.used_s});
  return out;
}

BlobIndex::Turn BlobIndex::begin(const cas::Digest& digest) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !taken_.contains(digest); });
  taken_.insert(digest);
  touched_.insert(digest);
  return {*this, digest};
}

std::optional<BlobIndex::Turn> BlobIndex::begin_removal(const cas::Digest& digest, int64_t used_s) {
  const std::lock_guard lock(mutex_);
  const auto found = here_.find(digest);
  const bool used = found != here_.end() && found->second.used_s > used_s;
  if (used || taken_.contains(digest)) return std::nullopt;
  erase(digest);
  taken_.insert(digest);
  touched_.insert(digest);
  return Turn(*this, digest);
}

void BlobIndex::lost(const cas::Digest& digest, bool doubtful) {
  const std::lock_guard lock(mutex_);
  erase(digest);
  if (doubtful) doubtful_.insert(digest);
}

void BlobIndex::begin_listing() {
  const std::lock_guard lock(mutex_);
  touched_ = taken_;
}

std::vector<cas::Digest> BlobIndex::settle(const std::vector<cas::Blobs::Stored>& there) {
  const std::lock_guard lock(mutex_);
  const int64_t grown = bytes_ - found_;
  std::set<std::string_view> listed;
  for (const cas::Blobs::Stored& each : there) {
    listed.insert(each.digest);
    if (touched_.contains(each.digest) || doubtful_.contains(each.digest)) continue;
    const auto [at, fresh] = here_.try_emplace(each.digest, Entry{each.size, each.used_s});
    if (fresh) bytes_ += each.size;
    at->second.used_s = std::max(at->second.used_s, each.used_s);
  }
  std::vector<cas::Digest> gone;
  for (const auto& [digest, entry] : here_)
    if (!listed.contains(digest) && !touched_.contains(digest)) gone.push_back(digest);
  for (const cas::Digest& digest : gone) erase(digest);
  if (!complete_) found_ = bytes_ - grown;
  complete_ = true;
  return gone;
}

void BlobIndex::add(const cas::Digest& digest, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  erase(digest);
  here_[digest] = entry;
  bytes_ += entry.size;
  doubtful_.erase(digest);
}

void BlobIndex::end(const cas::Digest& digest) {
  {
    const std::lock_guard lock(mutex_);
    taken_.erase(digest);
  }
  changed_.notify_all();
}

void BlobIndex::erase(const cas::Digest& digest) {
  const auto found = here_.find(digest);
  if (found == here_.end()) return;
  bytes_ -= found->second.size;
  here_.erase(found);
}

}  // namespace paddock::bucket
