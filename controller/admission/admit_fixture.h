// A compute run of three files that may be created, for tests to change.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "controller/admission/admit.h"

namespace paddock::admission {

using contracts::RunSpec;

class Admit : public testing::Test {
 protected:
  Admit() {
    for (const char* path : {"deps/requirements.txt", "requirements.txt", "s.py"}) {
      tree_.entries.push_back({path, std::string(64, 'a'), 1, false});
    }
    context_.tree = &tree_;
    spec_.command.argv = {"python3", "s.py"};
    spec_.workspace = "w";
  }
  std::string reason() const {
    const auto result = admit(spec_, wanted_media(spec_), context_);
    return result ? "" : result.error().reason.str();
  }
  std::string field() const {
    return admit(spec_, wanted_media(spec_), context_).error().causes.at(0).field;
  }

  contracts::Tree tree_;
  AdmissionContext context_;
  RunSpec spec_;
};

}  // namespace paddock::admission
