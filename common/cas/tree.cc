#include "common/cas/tree.h"

#include "common/crypto/digest.h"
#include "common/wire/json.h"

namespace paddock::cas {

std::string canonical_tree(const contracts::Tree& tree) { return wire::encode_json(tree); }

Digest tree_root(const contracts::Tree& tree) { return crypto::sha256_hex(canonical_tree(tree)); }

}  // namespace paddock::cas
