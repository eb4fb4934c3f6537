#include "controller/workspaces/blob_backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/sync.h"
#include "controller/workspaces/sweeper.h"
#include "controller/workspaces/trees.h"

namespace paddock::workspaces {

namespace {

using contracts::Digest;

enum class State { kSound, kMissing, kDamaged };

std::string path_in(const std::string& folder, const Digest& digest) {
  return cat(folder, "/", digest.substr(0, 2), "/", digest);
}

// If blobs are on another host, this looks only whether they exist: each is compared when it is
// read.
Result<State> state_of(const cas::Blobs& blobs, const Digest& digest) {
  if (blobs.remote()) {
    const Result<int64_t> size = blobs.size(digest);
    if (!size && size.error().code != Code::kNotFound) return size.error();
    return size ? State::kSound : State::kMissing;
  }
  const Result<os::Fd> file = blobs.open_blob(digest);
  if (!file && file.error().code == Code::kNotFound) return State::kMissing;
  if (!file) return file.error();
  ASSIGN_OR_RETURN(const Digest found, crypto::sha256_fd(file->get()));
  return found == digest ? State::kSound : State::kDamaged;
}

// A backup that is there is whole, also after a loss of power.
Status sync_all(const std::string& folder) {
  const os::Fd top(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid() || os::sync_file_system(top.get()) != 0)
    return system_error("storing the backup's files", errno);
  return {};
}

Result<KeptBlobs> keep_all(const cas::Blobs& blobs, const std::string& folder) {
  TRY(blobs.sync());
  ASSIGN_OR_RETURN(const std::vector<cas::Blobs::Stored> stored, blobs.list());
  KeptBlobs out;
  for (const cas::Blobs::Stored& each : stored) {
    TRY(os::make_dirs(cat(folder, "/", each.digest.substr(0, 2)), 0700));
    const Status kept = blobs.keep(each.digest, path_in(folder, each.digest));
    if (!kept.ok() && kept.error().code == Code::kNotFound) continue;  // swept: nobody needs it
    if (!kept.ok()) return kept.error();
    ++out.blobs;
    out.bytes += each.size;
  }
  return out;
}

class Restoring {
 public:
  Restoring(const cas::Blobs& blobs, const std::string& kept) : blobs_(blobs), kept_(kept) {}

  // Whether it is there and sound, in the end.
  Result<bool> look_at(const Digest& digest) {
    ASSIGN_OR_RETURN(State state, state_of(blobs_, digest));
    if (state != State::kSound) {
      ASSIGN_OR_RETURN(const bool back, put_back(digest, state));
      if (back) state = State::kSound;
    }
    if (state == State::kSound) return true;
    out_.faults.push_back({digest, state == State::kDamaged});
    return false;
  }
  RestoredBlobs take() && { return std::move(out_); }

 private:
  // False: the backup does not have it either. A damaged one of the backup's is told as damaged.
  Result<bool> put_back(const Digest& digest, State& state) {
    const os::Fd file(::open(path_in(kept_, digest).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.valid() && (errno == ENOENT || errno == ENOTDIR)) return false;
    if (!file.valid()) return system_error("reading the backup's files", errno);
    if (state == State::kDamaged) {
      ASSIGN_OR_RETURN(const Digest found, crypto::sha256_fd(file.get()));
      if (found != digest) return false;
      if (::lseek(file.get(), 0, SEEK_SET) != 0)
        return system_error("reading the backup's files", errno);
      ASSIGN_OR_RETURN(const bool gone,
                       blobs_.remove_unused(digest, std::numeric_limits<int64_t>::max()));
      if (!gone) return false;
    }
    const Status stored = blobs_.put_fd(file.get(), digest);
    if (!stored.ok() && stored.error().reason == "DIGEST_MISMATCH") {
      state = State::kDamaged;
      return false;
    }
    if (!stored.ok()) return stored.error();
    ++out_.put_back;
    return true;
  }

  const cas::Blobs& blobs_;
  const std::string& kept_;
  RestoredBlobs out_;
};

}  // namespace

Result<KeptBlobs> keep_blobs(const cas::Blobs& blobs, const std::string& target) {
  if (blobs.remote()) return KeptBlobs{};
  ASSIGN_OR_RETURN(const bool taken, os::is_there(target));
  if (taken)
    return Error{Code::kAlreadyExists, "BACKUP_EXISTS", "a backup of this name exists already"};
  const std::string partial = target + ".partial";
  TRY(os::remove_tree(partial));
  TRY(os::make_dirs(partial, 0700));
  Result<KeptBlobs> kept = keep_all(blobs, partial);
  Status done = kept.ok() ? sync_all(partial) : Status(kept.error());
  if (done.ok()) done = os::rename_durably(partial, target);
  if (done.ok()) return kept;
  TRY(os::remove_tree(partial));
  return done.error();
}

Result<RestoredBlobs> restore_blobs(store::Store& store, const cas::Blobs& blobs,
                                    const std::string& kept) {
  ASSIGN_OR_RETURN(NamedBlobs named, named_blobs(store, Unreadable::kLeftOut));
  if (blobs.remote()) TRY(blobs.list());  // else each would be asked for
  Restoring restoring(blobs, kept);
  for (const Digest& root : named.trees) {
    ASSIGN_OR_RETURN(const bool sound, restoring.look_at(root));
    if (!sound) continue;
    ASSIGN_OR_RETURN(const contracts::Tree tree, stored_tree(blobs, root));
    for (const contracts::TreeEntry& entry : tree.entries) named.files.insert(entry.digest);
  }
  for (const Digest& file : named.files) {
    if (named.trees.contains(file)) continue;
    TRY(restoring.look_at(file));
  }
  return std::move(restoring).take();
}

}  // namespace paddock::workspaces
