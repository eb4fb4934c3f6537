// Owning what a C library made: `std::unique_ptr<BIGNUM, Freed<&BN_free>>`.
#pragma once

namespace paddock {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace paddock
