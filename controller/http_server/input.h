// What arrived on a connection and was not used yet: heads, bodies and pipelined requests all come
// from here, so none of them is lost. One thread.
#pragma once

#include <memory>
#include <string_view>

#include "controller/http_server/transport.h"

namespace paddock::http_server {

class Input {
 public:
  explicit Input(Transport& transport) : transport_(&transport) {}
  // From now on; nothing is buffered yet.
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
