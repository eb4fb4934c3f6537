// The faults of a document under way, each with the path of its field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/base/text.h"

namespace paddock::wire {

// Collects what is wrong with a document, and where.
class Check {
 public:
  // What becomes of fields that the type does not have.
  enum class Unknown { kRefuse, kCollect };
  explicit Check(Unknown mode = Unknown::kRefuse) : mode_(mode) {}

  void fail(std::string message, CauseKind kind = CauseKind::kInvalid) {
    causes_.push_back({path_, std::move(message), kind});
  }
  // A fault at a field below the current one.
  void fail(std::string_view field, std::string message, CauseKind kind = CauseKind::kInvalid) {
    Scope scope(*this, field);
    fail(std::move(message), kind);
  }
  void unknown(std::string_view key) {
    Scope scope(*this, key);
    if (mode_ == Unknown::kCollect) {
      collected_.push_back(path_);
      return;
    }
    fail("unknown field", CauseKind::kUnknownField);
    ++unknown_;
  }
  bool ok() const { return causes_.empty(); }
  const std::string& path() const { return path_; }
  const std::vector<Cause>& causes() const { return causes_; }
  // The paths of unknown fields, with kCollect.
  const std::vector<std::string>& collected() const { return collected_; }
  // UNKNOWN_FIELD if nothing but unknown fields is wrong, else INVALID_FIELD.
  Error error() const;

  // Appends a path element for its lifetime.
  class Scope {
   public:
    Scope(Check& check, std::string_view field) : check_(check), length_(check.path_.size()) {
      if (length_ > 0 && !field.empty()) check_.path_ += '.';
      check_.path_ += field;
    }
    Scope(Check& check, size_t index) : check_(check), length_(check.path_.size()) {
      check_.path_ += cat("[", index, "]");
    }
    ~Scope() { check_.path_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Check& check_;
    size_t length_;
  };

 private:
  Unknown mode_;
  std::string path_;
  std::vector<Cause> causes_;
  std::vector<std::string> collected_;
  size_t unknown_ = 0;
};

}  // namespace paddock::wire
