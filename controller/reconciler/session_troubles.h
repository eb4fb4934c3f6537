// Which sessions do not know yet that their node has got into trouble, or out of it. A change of a
// node costs as much as it has sessions, and a tick without one costs nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/contracts/node.h"
#include "common/contracts/sandbox.h"

namespace paddock::reconciler {

class SessionTroubles {
 public:
  using Name = std::pair<std::string, std::string>;  // namespace and name of a session

  void clear() { *this = {}; }
  void put_node(const contracts::Node& node);
  void drop_node(const std::string& name);
  void put_session(const contracts::Sandbox& session);
  void drop_session(const Name& name);
  const std::set<Name>& untold() const { return untold_; }

 private:
  struct Told {
    std::string node;
    std::string reason;  // of the trouble that the session was told of; empty: none
  };
  void compare_all(const std::string& node);
  void compare(const Name& name);

  std::map<std::string, std::string> troubles_;  // reasons, by node; of a removed one there is none
  std::map<Name, Told> sessions_;                // that live
  std::map<std::string, std::set<Name>> by_node_;
  std::set<Name> untold_;
};

}  // namespace paddock::reconciler
