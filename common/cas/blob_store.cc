#include "common/cas/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>

#include "common/base/text.h"
#include "common/cas/unsynced.h"
#include "common/os/file.h"
#include "common/os/file_names.h"
#include "common/os/lock_file.h"
#include "common/os/sync.h"

namespace paddock::cas {
namespace {

constexpr const char* kTemporary = "tmp";

Error mismatch(const Digest& expected) {
  return invalid_argument("DIGEST_MISMATCH", cat("the content is not that of ", expected));
}

// A file of our own in the folder of unfinished blobs. It is locked as long as its writer lives, so
// that a process which starts meanwhile can tell it from a dead one's rest.
struct Unfinished {
  std::string path;
  os::LockFile lock;
};
Result<Unfinished> create_unfinished(const std::string& root) {
  static std::atomic<uint64_t> counter{0};
  while (true) {
    std::string path = cat(root, "/", kTemporary, "/", ::getpid(), "-", counter++);
    if (os::exists(path)) continue;
    Result<os::LockFile> lock = os::LockFile::acquire(path);
    if (lock) {
      // Somebody of the same pid in another namespace may have had the same idea.
      struct stat info = {};
      if (::fstat(lock->fd(), &info) == 0 && info.st_size == 0) {
        return Unfinished{std::move(path), std::move(*lock)};
      }
    } else if (lock.error().reason != "LOCK_HELD") {
      return std::move(lock).error().within("making room for a blob");
    }
  }
}

void remove_rests(const std::string& root) {
  const std::string folder = os::join_path(root, kTemporary);
  const Result<std::vector<std::string>> names = os::list_dir(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = os::join_path(folder, name);
    // Taking the lock first: its writer could be alive in another process. A file that was made
    // read-only just before the end cannot be locked; then looking must do.
    const Result<os::LockFile> lock = os::LockFile::acquire(path);
    if (lock || !os::LockFile::held(path)) ::unlink(path.c_str());
  }
}

Status sync(int fd) {
  if (os::sync_all(fd) != 0) return system_error("storing a blob", errno);
  return {};
}
Status sync_folder(const std::string& path) {
  ASSIGN_OR_RETURN(const os::Fd folder, os::open_root(path));
  return sync(folder.get());
}
// Makes the folder of a blob if it is the first there.
Status make_shard(const std::string& root, const std::string& folder, bool later) {
  if (::mkdir(folder.c_str(), 0700) == 0) return later ? Status() : sync_folder(root);
  if (errno != EEXIST) return system_error("storing a blob", errno);
  return {};
}

}  // namespace

class BlobStore::FileTarget final : public Writer::Target {
 public:
  struct Into {
    std::string root;
    std::string target;
    Digest expected;
    int64_t size;
    bool present = false;             // somebody has stored it already; content is still checked
    std::shared_ptr<Unsynced> later;  // none: on the disk before we say so
    std::shared_ptr<std::atomic<int64_t>> growth;
  };
  explicit FileTarget(Into into) : into_(std::move(into)) {}
  ~FileTarget() override {
    if (file_) ::unlink(file_->path.c_str());
  }
  FileTarget(const FileTarget&) = delete;
  FileTarget& operator=(const FileTarget&) = delete;

  Status make_file();
  Status append(std::string_view bytes) override;
  Status commit() override;

 private:
  int fd() const { return file_ ? file_->lock.fd() : unnamed_.get(); }
  Result<bool> give_name() const;
  Status publish();

  const Into into_;
  int64_t written_ = 0;
  os::Fd unnamed_ = {};  // where it is written, if the file system can: it leaves no rest
  std::optional<Unfinished> file_ = {};  // else, unless it is present
  crypto::Sha256 hash_ = {};
};

Status BlobStore::FileTarget::make_file() {
  unnamed_ = os::file_to_name(os::join_path(into_.root, kTemporary));
  if (unnamed_.valid()) return {};
  ASSIGN_OR_RETURN(file_, create_unfinished(into_.root));
  return {};
}

// When several writers bring the same blob, one of them stores it and the others get false. The
// first blob of a shard makes the shard's folder.
Result<bool> BlobStore::FileTarget::give_name() const {
  for (const bool made : {false, true}) {
    const int linked = file_ ? ::link(file_->path.c_str(), into_.target.c_str())
                             : os::name_file(unnamed_.get(), into_.target);
    const int why = errno;
    if (linked == 0) return true;
    if (why == EEXIST) return false;
    if (why != ENOENT || made) return system_error("storing a blob", why);
    TRY(make_shard(into_.root, into_.target.substr(0, into_.target.rfind('/')),
                   into_.later != nullptr));
  }
  return false;
}

// The content is on disk before its name is, and the name before we say so; or the mark is. It is
// counted once.
Status BlobStore::FileTarget::publish() {
  if (::fchmod(fd(), 0444) != 0) return system_error("storing a blob", errno);
  TRY(into_.later ? into_.later->before_write() : cas::sync(fd()));
  const Result<bool> first = give_name();
  if (into_.later) into_.later->written();
  if (!first) return first.error();
  if (*first) *into_.growth += written_;
  return into_.later ? Status() : sync_folder(into_.target.substr(0, into_.target.rfind('/')));
}

Status BlobStore::FileTarget::append(std::string_view bytes) {
  if (std::cmp_greater(bytes.size(), into_.size - written_)) {
    return Error{Code::kTooLarge, "BLOB_TOO_LARGE",
                 cat("the blob is larger than the ", into_.size, " bytes declared")};
  }
  hash_.update(bytes);
  written_ += static_cast<int64_t>(bytes.size());
  if (into_.present) return {};
  return os::write_all(fd(), bytes);
}

Status BlobStore::FileTarget::commit() {
  if (into_.size != kSizeUnknown && written_ != into_.size) {
    return invalid_argument("BLOB_INCOMPLETE", cat("got ", written_, " of ", into_.size, " bytes"));
  }
  if (hash_.finish_hex() != into_.expected) return mismatch(into_.expected);
  return into_.present ? Status() : publish();
}

// Known by its folder of unfinished blobs: another store has another one.
bool BlobStore::is_there() const {
  const auto now = os::identity_of(os::join_path(root_, kTemporary));
  return now && opened_->with([&](const auto& opened) { return opened == now; });
}

Status BlobStore::check_there() const {
  if (is_there()) return {};
  return Error{Code::kUnavailable, "STORE_IO",
               os::exists(root_) ? "the folder of files is not the one that was opened: what was "
                                   "mounted there is gone, or something lies over it"
                                 : "the folder of files is not there now"};
}

Status BlobStore::make_folder() const {
  const std::string temporary = os::join_path(root_, kTemporary);
  TRY(os::make_dirs(temporary, 0700));
  opened_->with([&](auto& opened) { opened = os::identity_of(temporary); });
  return {};
}

// Where a mount went away no blob is there, or older ones are: that says nothing of this one.
Error BlobStore::missing(const Digest& digest) const {
  if (Status there = check_there(); !there) return there.error();
  return blob_not_found(digest);
}

Result<BlobStore> BlobStore::open(const std::string& root) {
  BlobStore store(root, std::make_shared<Unsynced>(root));
  TRY(store.make_folder());
  remove_rests(root);
  int64_t since_s = 0;
  if (store.unsynced_->must_check(since_s)) TRY(store.check_again(since_s));
  return store;
}

Status BlobStore::check_again(int64_t since_s) const {
  ASSIGN_OR_RETURN(const std::vector<Stored> blobs, list());
  for (const Stored& each : blobs) {
    if (each.used_s < since_s) continue;
    ASSIGN_OR_RETURN(const os::Fd file, open_blob(each.digest));
    ASSIGN_OR_RETURN(const Digest found, crypto::sha256_fd(file.get()));
    if (found != each.digest && ::unlink(blob_path(each.digest).c_str()) != 0)
      return system_error("removing a damaged blob", errno);
  }
  return unsynced_->recovered();
}

Status BlobStore::sync() const { return unsynced_->sync(); }

std::string BlobStore::blob_path(const Digest& digest) const {
  return cat(root_, "/", digest.substr(0, 2), "/", digest);
}

bool BlobStore::has(const Digest& digest) const {
  return contracts::is_digest(digest) && os::exists(blob_path(digest)) && is_there();
}

Result<os::Fd> BlobStore::open_blob(const Digest& digest) const {
  TRY(check_digest(digest));
  os::Fd fd(::open(blob_path(digest).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return errno == ENOENT ? missing(digest) : system_error("opening a blob", errno);
  return fd;
}

Result<int64_t> BlobStore::size(const Digest& digest) const {
  TRY(check_digest(digest));
  struct stat info = {};
  if (::lstat(blob_path(digest).c_str(), &info) == 0) return int64_t{info.st_size};
  return errno == ENOENT ? missing(digest) : system_error("looking at a blob", errno);
}

Status BlobStore::keep(const Digest& digest, const std::string& target) const {
  TRY(check_digest(digest));
  if (::link(blob_path(digest).c_str(), target.c_str()) == 0) return {};
  if (errno == ENOENT) return missing(digest);
  ASSIGN_OR_RETURN(const os::Fd from, open_blob(digest));
  const os::Fd to(
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400));
  if (!to.valid()) return system_error("keeping a blob", errno);
  TRY(os::copy_contents(from.get(), to.get()));
  return cas::sync(to.get());
}

Result<std::unique_ptr<Blobs::Writer::Target>> BlobStore::open_writer(const Digest& expected,
                                                                      int64_t size,
                                                                      Durability durability,
                                                                      IfHere if_here) const {
  TRY(check_there());
  const bool present = if_here == IfHere::kCompare && has(expected);
  auto target = std::make_unique<FileTarget>(
      FileTarget::Into{.root = root_,
                       .target = blob_path(expected),
                       .expected = expected,
                       .size = size,
                       .present = present,
                       .later = durability == Durability::kLater ? unsynced_ : nullptr,
                       .growth = growth_});
  if (!present) TRY(target->make_file());
  return std::unique_ptr<Writer::Target>(std::move(target));
}

}  // namespace paddock::cas
