// Takes secret values out of a stream: each run of bytes that values cover becomes `***`. What
// comes out depends on the bytes alone, and not on the pieces in which they came. Pure.
//
// A value is looked for as it is, without line ends at its end; one of less than four bytes is not:
// it would be found everywhere. Encodings of a value (base64, quoted, a letter a line) are not it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/launch.h"

namespace paddock::sandbox {

// All values at once (Aho and Corasick, 1975): a byte costs the same, however many there are and
// whatever the stream is made of.
class SecretWords {
 public:
  explicit SecretWords(const std::vector<std::string>& values);
  bool empty() const { return nodes_.size() == 1; }

  struct State {
    uint32_t node = 0;
  };
  State next(State state, char byte) const;
  // How many of the bytes behind this state may be the start of a value.
  size_t open(State state) const { return nodes_[state.node].open; }
  // How many of them are one: the longest that ends here. 0: none.
  size_t ended(State state) const { return nodes_[state.node].ended; }

 private:
  // Children are a list: most nodes have one.
  struct Node {
    uint32_t child = 0;
    uint32_t sibling = 0;
    uint32_t fail = 0;
    uint32_t depth = 0;
    uint32_t open = 0;
    uint32_t ended = 0;
    char byte = 0;
  };
  uint32_t child_of(uint32_t node, char byte) const;
  void add(std::string_view value);
  void link();

  std::vector<Node> nodes_;
};

// One stream.
class Redactor {
 public:
  explicit Redactor(std::shared_ptr<const SecretWords> words) : words_(std::move(words)) {}
  // Takes in more bytes, and returns those that can no longer become part of a secret.
  std::string append(std::string_view bytes);
  // The rest: nothing more comes.
  std::string finish();

 private:
  struct Span {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  void cover(size_t length);
  std::string take(uint64_t until);

  std::shared_ptr<const SecretWords> words_;
  SecretWords::State state_;
  std::string held_;    // from taken_ on
  uint64_t taken_ = 0;  // position in the stream
  uint64_t seen_ = 0;   // likewise
  std::deque<Span> covered_;
  bool within_ = false;  // the last byte that was taken was covered: it is told of
};

// A text that is whole; as it is where there are no words.
std::string redacted(const std::shared_ptr<const SecretWords>& words, std::string_view text);

// The values of a request, its tool token among them; none: nothing is to be looked for.
std::shared_ptr<const SecretWords> secret_words(const contracts::LaunchRequest& request);
// Takes secrets out of the parts of a result that may repeat a command's own words: the reason, the
// denials, and the names that it connected to. Its output was redacted as it came.
void redact(const std::shared_ptr<const SecretWords>& words, contracts::SandboxResult& result);

}  // namespace paddock::sandbox
