// The store when there is no space for what it writes: nothing acknowledged is lost, and it goes on
// when there is space again.
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <mutex>
#include <thread>

#include "controller/store/store_faults_test_support.h"

namespace paddock::store {
namespace {

struct Filled {
  Names acknowledged;
  Names reasons;  // of the refusals
};

// Four writers at once, until each was refused three times.
Filled fill(Store& store, size_t bytes) {
  Filled out;
  std::mutex mutex;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0, refused = 0; refused < 3; ++i) {
        const std::string name = cat("r-", writer, "-", i);
        const Status written = add(store, name, bytes);
        const std::lock_guard lock(mutex);
        if (written.ok()) {
          out.acknowledged.insert(name);
        } else {
          ++refused;
          out.reasons.insert(cat(written.error().reason, " ", code_name(written.error().code)));
        }
      }
    });
  }
  for (std::thread& each : writers) each.join();
  return out;
}

// Takes the last of the space, so that not even a small write fits.
void take_the_rest(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string piece(4096, 'f');
  while (::write(fd, piece.data(), piece.size()) > 0) {
  }
  ::close(fd);
}

// A refused large write leaves room in the log that small ones still fit into. Writes until neither
// a small change nor the store's own probe fits.
bool small_writes_end(Store& store, Names& acknowledged) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = cat("small-", i);
    const Status written = add(store, name);
    if (written.ok()) {
      acknowledged.insert(name);
    } else if (reason_of(written) == "STORE_FULL" &&
               reason_of(store.check_writable()) == "STORE_FULL") {
      return true;
    }
  }
  return false;
}

class FullStore : public StoreFaults {
 protected:
  std::string fill_and_go_on(const char* size, bool in_checkpoint);
};

// The first thing that is not as it should be, or nothing.
std::string FullStore::fill_and_go_on(const char* size, bool in_checkpoint) {
  if (!mount_disk(folder_.file(""), size)) return kNoMounts;
  auto store = must_open(path_);
  Filled filled = fill(*store, 40'000);
  if (filled.reasons != Names{"STORE_FULL Unavailable"}) return lines(filled.reasons);
  if (filled.acknowledged.size() < 5) return "hardly anything fitted";
  if (in_checkpoint) {
    const auto copied = std::filesystem::file_size(path_);
    if (copied < 5'000'000) return cat("no checkpoint was under way: ", copied);
  } else {
    take_the_rest(folder_.file("rest"));
    if (!small_writes_end(*store, filled.acknowledged)) return "does not know that it is full";
  }
  if (stored(*store) != lines(filled.acknowledged)) return "a full store cannot be read";
  if (!change_disk(folder_.file(""), 0, "256m")) return "no remount";
  if (!store->check_writable().ok()) return "does not know that there is space again";
  if (!add(*store, "z-after", 100'000).ok()) return "does not go on";
  filled.acknowledged.insert("z-after");
  store = nullptr;
  return stored(*must_open(path_)) == lines(filled.acknowledged) ? "" : "not what was acknowledged";
}

TEST_F(FullStore, AFullDiskRefusesWritesAndLosesNothing) {
  expect(in_child([this] { return fill_and_go_on("1m", false); }));
}

TEST_F(FullStore, ADiskThatFillsUpInACheckpointLosesNothing) {
  expect(in_child([this] { return fill_and_go_on("24m", true); }));
}

TEST_F(FullStore, ACrashOnAFullDiskLosesNothing) {
  expect(in_child([this]() -> std::string {
    if (!mount_disk(folder_.file(""), "1m")) return kNoMounts;
    const std::string acknowledged = in_child([this] {
      Store* const left_open = must_open(path_).release();
      const Filled filled = fill(*left_open, 20'000);
      take_the_rest(folder_.file("rest"));
      return lines(filled.acknowledged);
    });
    const std::string meanwhile = refusal(path_);
    if (!Names{"opened", "STORE_FULL", "STORE_IO", "STORE_UNWRITABLE"}.contains(meanwhile)) {
      return meanwhile;
    }
    if (!change_disk(folder_.file(""), 0, "64m")) return "no remount";
    const auto store = must_open(path_);
    if (stored(*store) != acknowledged) return "not what was acknowledged";
    return reason_of(add(*store, "after"));
  }));
}

TEST_F(FullStore, AWriteThatTheSystemRefusesIsAnErrorAndNoMore) {
  expect(in_child([this]() -> std::string {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlimit before = limit;
    auto store = must_open(path_);
    limit.rlim_cur = 300'000;  // of a single file; beyond it write() fails with EFBIG
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Filled filled = fill(*store, 10'000);
    if (filled.reasons != Names{"STORE_IO Unavailable"}) return lines(filled.reasons);
    ::setrlimit(RLIMIT_FSIZE, &before);
    if (!add(*store, "z-after").ok()) return "does not go on";
    filled.acknowledged.insert("z-after");
    store = nullptr;
    return stored(*must_open(path_)) == lines(filled.acknowledged) ? "" : "not what was promised";
  }));
}

}  // namespace
}  // namespace paddock::store
