// Objects in one bucket of a server that speaks S3, below one prefix. Every request is signed with
// what the credentials file has at that moment; at most `transfers` are under way at a time, each
// with deadlines; a server's "slow down" is waited out a little. Thread-safe.
//
// What a server says is not believed: an object counts as stored once the digest that it was sent
// with was confirmed, or at least its size; an ETag is no digest and only handed back. What is read
// has to be compared by the reader.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"
#include "controller/s3/answers.h"
#include "controller/s3/client_pool.h"

namespace paddock::s3 {

struct BucketSettings {
  std::string endpoint;  // https://host[:port]
  std::string region = "us-east-1";
  std::string bucket;
  std::string prefix;      // of every key; empty, or with a slash at its end
  bool path_style = true;  // https://host/bucket/key; else https://bucket.host/key
  std::string credentials_file;
  std::string ca_pem;  // trusted for the endpoint; empty: the system's
  size_t transfers = 8;
  Millis silence{30'000};            // without a byte for so long a request is given up
  int64_t part = int64_t{64} << 20;  // larger objects are sent in parts of this size
  int64_t page = 1000;               // objects of one answer to list()
  Millis first_retry{200};
};

// The bytes of a file, from `offset` on; the file must not change meanwhile.
struct Body {
  int fd = -1;
  int64_t offset = 0;
  int64_t size = 0;
  std::string sha256;  // in hexadecimal digits
};

class Bucket {
 public:
  Bucket(BucketSettings settings, const Clock& clock);

  // Whether the bucket is there and may be listed: the error's reason says why not
  // (answers.h: fault_of; BUCKET_CREDENTIALS).
  Status check() const;
  // Confirmed, as said above. All keys are without the prefix.
  Status put(const std::string& key, const Body& body) const;
  Status put_text(const std::string& key, const std::string& text) const;
  Result<int64_t> size(const std::string& key) const;  // NotFound, OBJECT_NOT_FOUND
  // Hands over the object's bytes from `from` on, until `take` says false. `size`: how many there
  // are, for the deadline. Nothing of it was compared with anything.
  Status get(const std::string& key, int64_t from, int64_t size,
             const std::function<bool(std::string_view)>& take) const;
  Status remove(const std::string& key) const;  // fine if it is not there
  // The objects whose keys begin so, page by page.
  Status list(const std::string& below,
              const std::function<Status(const std::vector<Object>&)>& visit) const;
  // Ends uploads in parts that were begun before `before`: their writers are gone. How many.
  Result<int64_t> abort_uploads(WallTime before) const;
  // Ends what is under way and all that is asked later. Any thread.
  void stop() const { pool_->stop(); }
  // Waits; false as soon as it is stopped.
  bool rest(Millis limit) const { return pool_->wait(limit); }

 private:
  struct Call;
  Result<http::Response> send(const Call& call) const;
  Result<http::Response> send_once(const Call& call) const;
  Result<http::Request> request_of(const Call& call) const;
  std::string host() const;
  std::string bucket_path() const;
  std::string path_of(const std::string& key) const;
  Status put_whole(const std::string& key, const Body& body) const;
  Status put_parts(const std::string& key, const Body& body) const;
  Result<std::vector<std::string>> send_parts(const std::string& key, const std::string& id,
                                              const Body& body) const;
  Status complete(const std::string& key, const std::string& id,
                  const std::vector<std::string>& tags) const;
  Status abort(const std::string& key, const std::string& id) const;
  Status confirm_size(const std::string& key, int64_t size) const;

  const BucketSettings settings_;
  const Clock& clock_;
  std::unique_ptr<ClientPool> pool_;
};

}  // namespace paddock::s3
