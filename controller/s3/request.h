// One request to a bucket, before it is signed. For controller/s3 only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "controller/s3/bucket.h"

namespace paddock::s3 {

struct Bucket::Call {
  std::string method;
  std::string key = {};
  bool whole_bucket = false;  // else about the object `key`
  std::map<std::string, std::string> query = {};
  std::map<std::string, std::string> headers = {};
  std::string text = {};  // what is sent, unless `body` has a file
  Body body = {};
  int64_t expected = 0;  // bytes of the answer, for the deadline
  std::function<bool(std::string_view)> on_data = {};
};

}  // namespace paddock::s3
