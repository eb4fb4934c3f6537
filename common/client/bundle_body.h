// A bundle of files as the body of a request (common/cas/bundle.h); for common/client only.
#pragma once

#include <memory>
#include <string>

#include "common/compression/compression.h"
#include "common/contracts/tree.h"
#include "common/http/http_client.h"

namespace paddock::client {

class BundleBody {
 public:
  // Of a bundle of `size` bytes.
  BundleBody(bool compress, int64_t size);
  // The first bytes of `file`, as many as the entry says; false where it is shorter.
  bool add(const contracts::TreeEntry& blob, int file);
  // Into the request, whose query then says how it is compressed. Once.
  Status move_to(http::Request& request);

 private:
  std::string bundle_;
  bool compress_;
};

}  // namespace paddock::client
