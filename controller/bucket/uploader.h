// A few threads that store blobs while those who sent them go on. Bounded: a caller that adds more
// waits. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/os/fd.h"
#include "controller/bucket/blob_index.h"

namespace paddock::bucket {

struct Upload {
  cas::Digest digest;
  os::Fd file;
  int64_t size = 0;
  BlobIndex::Turn turn;  // ends with it
};

class Uploader {
 public:
  Uploader(size_t threads, std::function<void(Upload)> store);
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;
  // Waits while as many wait as may.
  void add(Upload upload);

 private:
  void work();

  const std::function<void(Upload)> store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Upload> waiting_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace paddock::bucket
