// The proof of its host's sandbox that an earlier process of this agent made, kept in the data
// folder. A proof takes a second or so, and many times that on a host whose processors are busy;
// meanwhile nobody would hear of the runs that go on. So an agent that is started again begins with
// the kept proof, and makes a new one beside its work.
#pragma once

#include <optional>
#include <string>

#include "common/contracts/canary.h"

namespace paddock::agent {

// The conditions under which a proof holds: this launcher file, this boot of the kernel, and this
// process's user and privileges. Empty if the launcher is not there.
std::string proof_mark(const std::string& launcher);
// The kept proof; nothing if it has another mark.
std::optional<contracts::SandboxProof> kept_proof(const std::string& data_dir,
                                                  const std::string& launcher);
// `mark` is of before the proof was begun. Says in the log where it cannot be kept.
void keep_proof(const std::string& data_dir, const std::string& mark,
                const contracts::SandboxProof& proof);
void forget_proof(const std::string& data_dir);

}  // namespace paddock::agent
