// How far the input of attached commands got, kept beyond their end: the answer to a piece may be
// lost while the command ends by it, and a caller that sends that piece again has done nothing
// wrong. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "common/base/guarded.h"
#include "common/contracts/run_exec.h"

namespace paddock::calls {

class TakenInput {
 public:
  static constexpr size_t kMost = 4096;  // then the one that began first is forgotten

  // A command that is under way from now on; of an older one of its name nothing counts any more.
  void begin(const std::string& name, const std::string& caller, const std::string& name_space);
  // The number of the piece that comes next.
  void took(const std::string& name, int64_t next);
  // For a command that is no longer under way: the number of the next piece, if its caller need not
  // wait for this one, because it was taken before or only says that no more comes.
  std::optional<int64_t> settled(const std::string& name, const std::string& caller,
                                 const std::string& name_space,
                                 const contracts::InputPiece& piece) const;

 private:
  struct Entry {
    std::string caller;
    std::string name_space;
    int64_t next = 1;
  };
  struct State {
    std::map<std::string, Entry> entries;
    std::deque<std::string> begun;  // names, the oldest first
  };
  Guarded<State> state_;
};

}  // namespace paddock::calls
