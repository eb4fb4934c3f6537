// Many clients that create runs at once, each over its own kept connection and each waiting for
// its answer before it sends the next.
#pragma once

#include <string>
#include <vector>

#include "bench/control/stack.h"
#include "bench/control/wire.h"

namespace paddock::bench {

struct Submitted {
  std::vector<std::string> names;  // of those that were acknowledged
  std::vector<double> ms;          // each from its request to its answer
  double all_ms = 0;
  double rate() const { return 1000 * static_cast<double>(ms.size()) / all_ms; }
  double runs_rate() const { return 1000 * static_cast<double>(names.size()) / all_ms; }
};

// `clients` connections create `count` runs together, named `prefix` and a number. An answer other
// than 201 ends the program.
Submitted submit(const Address& address, int clients, int count, const std::string& prefix,
                 const Work& work);
// The same for `seconds`; what is not answered by then does not count.
Submitted submit_for(const Address& address, int clients, double seconds, const std::string& prefix,
                     const Work& work);
// The same with lists of `batch` runs, each list in one request; the times are those of requests.
Submitted submit_lists_for(const Address& address, int clients, double seconds,
                           const std::string& prefix, const Work& work, int batch);
// GETs of one path for `seconds`: what a round trip costs.
Submitted get_for(const Address& address, int clients, double seconds, const std::string& path);

}  // namespace paddock::bench
