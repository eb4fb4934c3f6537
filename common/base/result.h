// Result<T>: a value or an Error. First-party code never throws; a library's exceptions end in the
// one file that includes the library.
#pragma once

#include <optional>
#include <utility>

#include "common/base/error.h"

namespace paddock {

[[noreturn]] void panic(
    std::string_view message);  // a broken invariant: says so and stops the process
[[noreturn]] void panic_on_error(const Error& error);  // Result::value() on an error
[[noreturn]] void panic_on_value();                    // Result::error() on a value

// The error of a Result, if there is one, on the heap: every function that may fail would else
// carry the code that moves and destroys an Error. Who hands an error on moves a pointer.
class ErrorBox {
 public:
  ErrorBox() = default;
  explicit ErrorBox(Error error);
  ErrorBox(const ErrorBox& other);
  ErrorBox(ErrorBox&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  ErrorBox& operator=(ErrorBox other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~ErrorBox() {
    if (error_ != nullptr) destroy();
  }

  bool empty() const { return error_ == nullptr; }
  operator Error() && { return std::move(get()); }  // NOLINT: for who returns no Result
  // Both stop the process if there is no error.
  Error& get() {
    if (empty()) panic_on_value();
    return *error_;
  }
  const Error& get() const {
    if (empty()) panic_on_value();
    return *error_;
  }

 private:
  void destroy();
  Error* error_ = nullptr;  // owned
};

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  // NOLINTNEXTLINE: implicit by design
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}         // NOLINT
  Result(ErrorBox failure) : error_(std::move(failure)) {}  // NOLINT: not empty; see failure()

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& value() & { return require(), *value_; }
  const T& value() const& { return require(), *value_; }
  T&& value() && { return require(), std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return error_.get(); }
  Error&& error() && { return std::move(error_.get()); }
  // What TRY returns: the error of a result that is not ok().
  ErrorBox failure() && { return std::move(error_); }
  // Adds what the caller was doing when this failed.
  Result within(std::string what) && {
    if (!ok()) error_.get().context.push_back(std::move(what));
    return std::move(*this);
  }

 private:
  void require() const {
    if (!ok()) panic_on_error(error_.get());
  }
  // One of them is there. A std::variant of both would take a tenth of the time of compiling all
  // that returns one.
  std::optional<T> value_;
  ErrorBox error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}         // NOLINT: implicit by design
  Result(ErrorBox failure) : error_(std::move(failure)) {}  // NOLINT: not empty; see failure()
  bool ok() const { return error_.empty(); }
  explicit operator bool() const { return ok(); }
  void value() const {
    if (!ok()) panic_on_error(error_.get());
  }
  const Error& error() const& { return error_.get(); }
  Error&& error() && { return std::move(error_.get()); }
  // What TRY returns: the error of a result that is not ok().
  ErrorBox failure() && { return std::move(error_); }
  Result within(std::string what) && {
    if (!ok()) error_.get().context.push_back(std::move(what));
    return std::move(*this);
  }

 private:
  ErrorBox error_;
};

using Status = Result<void>;

#define PADDOCK_CONCAT_INNER(a, b) a##b
#define PADDOCK_CONCAT(a, b) PADDOCK_CONCAT_INNER(a, b)

// TRY(status_expression);  returns the error to the caller if there is one.
#define TRY(expression)                                     \
  do {                                                      \
    if (auto try_result = (expression); !try_result.ok()) { \
      return std::move(try_result).failure();               \
    }                                                       \
  } while (false)

// ASSIGN_OR_RETURN(auto name, result_expression);
#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_IMPL(PADDOCK_CONCAT(assign_result_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                  \
  if (!result.ok()) return std::move(result).failure();        \
  declaration = std::move(result).value()

}  // namespace paddock
