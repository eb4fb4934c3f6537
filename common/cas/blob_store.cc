#include "common/cas/blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <optional>

#include "common/base/text.h"
#include "common/cas/unsynced.h"
#include "common/os/file.h"
#include "common/os/file_names.h"
#include "common/os/lock_file.h"
#include "common/os/sync.h"

namespace paddock::cas {
namespace {

constexpr size_t kChunk = 256 << 10;
constexpr const char* kTemporary = "tmp";

Error not_found(const Digest& digest) {
  return {Code::kNotFound, "BLOB_NOT_FOUND", cat("there is no blob ", to_utf8_lossy(digest))};
}
Error mismatch(const Digest& expected) {
  return invalid_argument("DIGEST_MISMATCH", cat("the content is not that of ", expected));
}
Status check_digest(const Digest& digest) {
  if (contracts::is_digest(digest)) return {};
  return invalid_argument("BAD_DIGEST", "a digest is 64 lower-case hexadecimal digits");
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

struct BlobStore::Writer::State {
  std::string root;
  std::string target;
  Digest expected;
  int64_t size;
  int64_t written = 0;
  bool present = false;  // somebody has stored it already; content is still checked
  os::Fd unnamed = {};   // where it is written, if the file system can: it leaves no rest
  std::optional<Unfinished> file = {};  // else, unless it is present
  std::shared_ptr<Unsynced> later;      // none: on the disk before we say so
  std::shared_ptr<std::atomic<int64_t>> growth;
  crypto::Sha256 hash = {};

  ~State() {
    if (file) ::unlink(file->path.c_str());
  }
  Status make_file();
  int fd() const { return file ? file->lock.fd() : unnamed.get(); }
  Result<bool> give_name() const;
  Status publish();
};

Status BlobStore::Writer::State::make_file() {
  unnamed = os::file_to_name(os::join_path(root, kTemporary));
  if (unnamed.valid()) return {};
  ASSIGN_OR_RETURN(file, create_unfinished(root));
  return {};
}

// Of several writers of a blob one stores it: false for the others. Only the first of a folder has
// to make that.
Result<bool> BlobStore::Writer::State::give_name() const {
  for (const bool made : {false, true}) {
    const int linked =
        file ? ::link(file->path.c_str(), target.c_str()) : os::name_file(unnamed.get(), target);
    const int why = errno;
    if (linked == 0) return true;
    if (why == EEXIST) return false;
    if (why != ENOENT || made) return system_error("storing a blob", why);
    TRY(make_shard(root, target.substr(0, target.rfind('/')), later != nullptr));
  }
  return false;
}

// The content is on disk before its name is, and the name before we say so; or the mark is. It is
// counted once.
Status BlobStore::Writer::State::publish() {
  if (::fchmod(fd(), 0444) != 0) return system_error("storing a blob", errno);
  TRY(later ? later->before_write() : cas::sync(fd()));
  const Result<bool> first = give_name();
  if (later) later->written();
  if (!first) return first.error();
  if (*first) *growth += written;
  return later ? Status() : sync_folder(target.substr(0, target.rfind('/')));
}

BlobStore::Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlobStore::Writer::Writer(Writer&&) noexcept = default;
BlobStore::Writer::~Writer() = default;

Status BlobStore::Writer::append(std::string_view bytes) {
  if (std::cmp_greater(bytes.size(), state_->size - state_->written)) {
    return Error{Code::kTooLarge, "BLOB_TOO_LARGE",
                 cat("the blob is larger than the ", state_->size, " bytes declared")};
  }
  state_->hash.update(bytes);
  state_->written += static_cast<int64_t>(bytes.size());
  if (state_->present) return {};
  return os::write_all(state_->fd(), bytes);
}

Status BlobStore::Writer::commit() {
  const std::unique_ptr<State> state = std::move(state_);
  if (!state)
    return Error{Code::kFailedPrecondition, "BLOB_FINISHED", "the blob was finished before"};
  if (state->size != std::numeric_limits<int64_t>::max() && state->written != state->size) {
    return invalid_argument("BLOB_INCOMPLETE",
                            cat("got ", state->written, " of ", state->size, " bytes"));
  }
  if (state->hash.finish_hex() != state->expected) return mismatch(state->expected);
  if (state->present) return {};
  return state->publish();
}

Result<BlobStore> BlobStore::open(const std::string& root) {
  TRY(os::make_dirs(os::join_path(root, kTemporary), 0700));
  remove_rests(root);
  BlobStore store(root, std::make_shared<Unsynced>(root));
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
  return contracts::is_digest(digest) && os::exists(blob_path(digest));
}

Result<os::Fd> BlobStore::open_blob(const Digest& digest) const {
  TRY(check_digest(digest));
  os::Fd fd(::open(blob_path(digest).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid())
    return errno == ENOENT ? not_found(digest) : system_error("opening a blob", errno);
  return fd;
}

Result<int64_t> BlobStore::size(const Digest& digest) const {
  TRY(check_digest(digest));
  struct stat info = {};
  if (::lstat(blob_path(digest).c_str(), &info) != 0) return not_found(digest);
  return int64_t{info.st_size};
}

Result<std::string> BlobStore::read(const Digest& digest, size_t limit) const {
  ASSIGN_OR_RETURN(const os::Fd fd, open_blob(digest));
  return os::read_all(fd.get(), limit);
}

Status BlobStore::keep(const Digest& digest, const std::string& target) const {
  TRY(check_digest(digest));
  if (::link(blob_path(digest).c_str(), target.c_str()) == 0) return {};
  if (errno == ENOENT) return not_found(digest);
  ASSIGN_OR_RETURN(const os::Fd from, open_blob(digest));
  const os::Fd to(
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400));
  if (!to.valid()) return system_error("keeping a blob", errno);
  TRY(os::copy_contents(from.get(), to.get()));
  return cas::sync(to.get());
}

Result<BlobStore::Writer> BlobStore::begin(const Digest& expected, int64_t size,
                                           Durability durability, IfHere if_here) const {
  TRY(check_digest(expected));
  if (size < 0) return invalid_argument("BAD_SIZE", "a blob has no negative size");
  std::unique_ptr<Writer::State> state(
      new Writer::State{.root = root_,
                        .target = blob_path(expected),
                        .expected = expected,
                        .size = size,
                        .present = if_here == IfHere::kCompare && has(expected),
                        .later = durability == Durability::kLater ? unsynced_ : nullptr,
                        .growth = growth_});
  if (!state->present) TRY(state->make_file());
  return Writer(std::move(state));
}

Result<Digest> BlobStore::put(std::string_view bytes) const {
  const Digest digest = crypto::sha256_hex(bytes);
  if (has(digest)) return digest;
  ASSIGN_OR_RETURN(Writer writer, begin(digest, static_cast<int64_t>(bytes.size())));
  TRY(writer.append(bytes));
  TRY(writer.commit());
  return digest;
}

Status BlobStore::put_fd(int fd, const Digest& expected) const {
  ASSIGN_OR_RETURN(Writer writer, begin(expected, std::numeric_limits<int64_t>::max()));
  const auto buffer = std::make_unique<char[]>(kChunk);
  while (true) {
    const ssize_t got = ::read(fd, buffer.get(), kChunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("reading a file for the store", errno);
    if (got == 0) return writer.commit();
    TRY(writer.append({buffer.get(), static_cast<size_t>(got)}));
  }
}

}  // namespace paddock::cas
