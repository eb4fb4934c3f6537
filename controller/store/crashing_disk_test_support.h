// A disk that stops at a chosen call, for the tests of the store: an SQLite VFS around the real one
// that counts every call which changes a file, and at the chosen one leaves the files as a crash
// would have left them and ends the process. It never really syncs: what counts as being on the
// disk is kept here.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace paddock::store {

enum class Crash {
  kKilled,     // the process dies before the call; what it wrote stays
  kTorn,       // likewise, and half of the call's bytes were written
  kPowerLoss,  // what was not synced is gone
  kReordered,  // of what was not synced some is gone, some is there, some is torn
};

class CrashingDisk {
 public:
  // The default VFS of this process while it lives. One at a time; one thread.
  CrashingDisk() {
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.zName = "crashing";
    vfs_.pAppData = this;
    vfs_.xOpen = &CrashingDisk::open;
    vfs_.xDelete = &CrashingDisk::remove;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~CrashingDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
  }
  CrashingDisk(const CrashingDisk&) = delete;
  CrashingDisk& operator=(const CrashingDisk&) = delete;

  // Ends this process at its call number `step`, counted from now.
  void crash_at(int step, Crash how) {
    left_ = step;
    how_ = how;
    random_.seed(static_cast<unsigned>(step));
  }
  int calls() const { return calls_; }

 private:
  struct Write {
    sqlite3_int64 offset = 0;
    std::string bytes;
    bool truncates = false;  // to `offset`
  };
  struct Image {
    std::string durable;
    std::vector<Write> pending;  // since the last sync
  };
  struct File {
    sqlite3_file base;
    CrashingDisk* disk;
    Image* image;  // of databases and logs; others are not looked at
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  static CrashingDisk& disk_of(sqlite3_vfs* vfs) {
    return *static_cast<CrashingDisk*>(vfs->pAppData);
  }

  // In one piece: an iterator over characters takes most of a crash's time without optimisation.
  static std::string content(const std::string& path) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(path, missing);
    std::string out(missing ? 0 : size, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(out.data(), static_cast<std::streamsize>(out.size()));
    return out;
  }
  static void apply(const Write& write, std::string& to) {
    const auto offset = static_cast<size_t>(write.offset);
    if (write.truncates) return to.resize(offset);
    if (to.size() < offset + write.bytes.size()) to.resize(offset + write.bytes.size());
    std::memcpy(to.data() + offset, write.bytes.data(), write.bytes.size());
  }

  // Before each call that changes something.
  void step(File* file, const Write& write) {
    ++calls_;
    if (left_ < 0 || left_-- > 0) return;
    if (how_ == Crash::kTorn && file != nullptr && !write.truncates) {
      of_real(file)->xWrite(file->real(), write.bytes.data(),
                            static_cast<int>(write.bytes.size() / 2), write.offset);
    }
    if (how_ == Crash::kPowerLoss || how_ == Crash::kReordered) lose_power();
    ::_exit(0);
  }
  void lose_power() {
    for (auto& [path, image] : images_) {
      std::string left = image.durable;
      for (Write& write : image.pending) {
        if (how_ == Crash::kPowerLoss || random_() % 2 == 0) continue;
        if (random_() % 4 == 0) write.bytes.resize(write.bytes.size() / 2);
        apply(write, left);
      }
      std::ofstream(path, std::ios::binary | std::ios::trunc) << left;
    }
  }

  static const sqlite3_io_methods* of_real(File* file) { return file->real()->pMethods; }
  static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    const Write change{offset, {static_cast<const char*>(data), static_cast<size_t>(size)}};
    of(file)->disk->step(of(file), change);
    if (of(file)->image != nullptr) of(file)->image->pending.push_back(change);
    return of_real(of(file))->xWrite(of(file)->real(), data, size, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    const Write change{size, {}, true};
    of(file)->disk->step(of(file), change);
    if (of(file)->image != nullptr) of(file)->image->pending.push_back(change);
    return of_real(of(file))->xTruncate(of(file)->real(), size);
  }
  static int sync(sqlite3_file* file, int) {
    of(file)->disk->step(nullptr, {});
    if (Image* image = of(file)->image) {
      for (const Write& each : image->pending) apply(each, image->durable);
      image->pending.clear();
    }
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
    CrashingDisk& disk = disk_of(vfs);
    disk.step(nullptr, {});
    disk.images_.erase(path);
    return disk.real_->xDelete(disk.real_, path, sync_folder);
  }
  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out) {
    CrashingDisk& disk = disk_of(vfs);
    File* ours = of(file);
    *ours = {{nullptr}, &disk, nullptr};
    const int rc = disk.real_->xOpen(disk.real_, path, ours->real(), flags, out);
    if (ours->real()->pMethods == nullptr) return rc;
    ours->base.pMethods = &methods();
    if (path != nullptr && (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0) {
      const auto [at, first] = disk.images_.try_emplace(path);
      if (first) at->second.durable = content(path);
      ours->image = &at->second;
    }
    return rc;
  }
  // Without memory maps of the file itself: every change is a call.
  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods all = {
        2,
        [](sqlite3_file* f) { return of_real(of(f))->xClose(of(f)->real()); },
        [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
          return of_real(of(f))->xRead(of(f)->real(), to, size, at);
        },
        &CrashingDisk::write,
        &CrashingDisk::truncate,
        &CrashingDisk::sync,
        [](sqlite3_file* f, sqlite3_int64* size) {
          return of_real(of(f))->xFileSize(of(f)->real(), size);
        },
        [](sqlite3_file* f, int lock) { return of_real(of(f))->xLock(of(f)->real(), lock); },
        [](sqlite3_file* f, int lock) { return of_real(of(f))->xUnlock(of(f)->real(), lock); },
        [](sqlite3_file* f, int* out) {
          return of_real(of(f))->xCheckReservedLock(of(f)->real(), out);
        },
        [](sqlite3_file* f, int what, void* value) {
          return of_real(of(f))->xFileControl(of(f)->real(), what, value);
        },
        [](sqlite3_file* f) { return of_real(of(f))->xSectorSize(of(f)->real()); },
        [](sqlite3_file*) { return 0; },  // promises nothing about what is torn and in which order
        [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
          return of_real(of(f))->xShmMap(of(f)->real(), page, size, extend, out);
        },
        [](sqlite3_file* f, int offset, int count, int flags) {
          return of_real(of(f))->xShmLock(of(f)->real(), offset, count, flags);
        },
        [](sqlite3_file* f) { of_real(of(f))->xShmBarrier(of(f)->real()); },
        [](sqlite3_file* f, int unmap) { return of_real(of(f))->xShmUnmap(of(f)->real(), unmap); },
        nullptr,
        nullptr};
    return all;
  }

  sqlite3_vfs* real_ = nullptr;
  sqlite3_vfs vfs_ = {};
  std::map<std::string, Image> images_;
  std::mt19937 random_;
  int calls_ = 0;
  int left_ = -1;
  Crash how_ = Crash::kKilled;
};

}  // namespace paddock::store
