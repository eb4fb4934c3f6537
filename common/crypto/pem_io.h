// PEM texts in OpenSSL's memory files. For files that use OpenSSL themselves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/evp.h>

#include "common/base/freed.h"

namespace paddock::crypto {

using Bio = std::unique_ptr<BIO, Freed<&BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;

// A key that asks for a pass phrase is not read: nobody is there to be asked.
inline int no_pass_phrase(char*, int, int, void*) { return -1; }

inline Bio memory_of(std::string_view text) {
  if (text.size() > (1 << 20)) return nullptr;
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

inline std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

}  // namespace paddock::crypto
