// SHA-256 and secrets. The only module that includes OpenSSL's crypto headers.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/random.h"
#include "common/base/result.h"

namespace paddock::crypto {

std::string sha256_hex(std::string_view bytes);

// HMAC-SHA256 (RFC 2104).
std::string hmac_sha256_hex(std::string_view key, std::string_view bytes);

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  std::string finish_hex();  // once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// SHA-256 of everything readable from `fd`, from its current position, or of its first bytes.
Result<std::string> sha256_fd(int fd, int64_t most = std::numeric_limits<int64_t>::max());
// True if equal, in time that depends on the lengths only.
bool equal_constant_time(std::string_view a, std::string_view b);
// `<prefix>_<43 characters>`: 256 random bits in base64url.
std::string make_token(Random& random, std::string_view prefix);

}  // namespace paddock::crypto
