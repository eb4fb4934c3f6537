// The bytes that arrived on a connection and were not used yet. Heads, bodies and pipelined
// requests are all read from here, so no byte is lost. One thread.
#pragma once

#include <memory>
#include <string_view>

#include "controller/http_server/transport.h"

namespace paddock::http_server {

class Input {
 public:
  explicit Input(Transport& transport) : transport_(&transport) {}
  // Reads from this transport from now on. Nothing may be buffered yet.
  void read_from(Transport& transport) { transport_ = &transport; }
  std::string_view bytes() const { return {data_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  // Waits for more bytes and appends them; views given out before are invalid then.
  IoState fill(Deadline deadline);
  void consume(size_t size) { begin_ += size; }
  // Gives its memory back while nothing is buffered: for connections that sit idle.
  void release();

 private:
  void make_room();

  Transport* transport_;
  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace paddock::http_server
