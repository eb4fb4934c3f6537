// Nodes that only talk: each enrols, reports a real host's status and then holds a synchronize call
// open, as a node agent does, and beside it a lane for calls. What it is assigned it reports as
// running.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/control/crowd.h"

namespace paddock::bench {

class Agents {
 public:
  Agents(Crowd& crowd, Address address, std::string enrol_token);

  // Enrols one more, which says this of its host, and opens its connections.
  void add(const std::string& status);
  // What came on a connection of an agent; false if it is none.
  bool take(size_t number, const std::string& text);
  // Nothing is heard of it any more.
  void silence(const std::string& node);

  size_t size() const { return agents_.size(); }
  size_t answered() const { return answered_; }  // calls in all
  // Where a run was assigned last, and at which attempt; empty if nowhere.
  struct Place {
    std::string node;
    int64_t attempt = 0;
  };
  Place place_of(const std::string& run) const;

 private:
  struct Agent {
    std::string name;
    std::string token;
    size_t hold = 0;
    size_t calls = 0;
    std::string version;
    std::string text;                     // of an answer that has not come whole
    std::string calls_text;               // the same
    std::map<std::string, int64_t> runs;  // uid to attempt
  };
  std::string hold_request(const Agent& agent) const;
  std::string calls_request(const Agent& agent) const;
  void answer(Agent& agent, const std::string& body);

  Crowd& crowd_;
  Address address_;
  std::string enrol_token_;
  std::vector<Agent> agents_;
  std::map<size_t, size_t> by_hold_;
  std::map<size_t, size_t> by_calls_;
  std::map<std::string, Place> places_;  // by the run's name
  size_t answered_ = 0;
};

}  // namespace paddock::bench
