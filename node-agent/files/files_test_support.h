// A workspace of a session, what lies beside it, and how both are asked for files.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/files/run_files.h"
#include "node-agent/files/session_files.h"
#include "tests/support/temp_dir.h"

namespace paddock::files {

using contracts::FileAnswer;
using contracts::FileOperation;
using contracts::FileOrder;

class SessionFiles : public testing::Test {
 protected:
  void SetUp() override {
    rules_.workspace = os::join_path(dir_.path(), "workspace");
    ASSERT_TRUE(os::make_dirs(rules_.workspace).ok());
    ASSERT_TRUE(os::write_file_atomic(outside(), "secret").ok());
  }
  std::string outside() const { return os::join_path(dir_.path(), "outside"); }
  std::string inside(const std::string& name) const {
    return os::join_path(rules_.workspace, name);
  }
  Result<FileAnswer> ask(FileOperation operation, const std::string& path,
                         const std::string& bytes = {}) {
    FileOrder order;
    order.operation = operation;
    order.path = path;
    order.data = base64(bytes);
    order.most = 1000;
    return do_with_file(rules_, order);
  }
  std::string reason(FileOperation operation, const std::string& path, bool folder = false) {
    FileOrder order;
    order.operation = operation;
    order.path = path;
    order.folder = folder;
    const auto answer = do_with_file(rules_, order);
    return answer.ok() ? "" : answer.error().reason.str();
  }
  std::string put_into_run(const RunFileRules& rules, const std::string& path,
                           const std::string& bytes = {}) {
    FileOrder order;
    order.operation = FileOperation::kWrite;
    order.path = path;
    order.data = base64(bytes);
    const auto done = put_whole(rules, order);
    return done.ok() ? "" : done.error().reason.str();
  }
  std::string content(const std::string& path) {
    const auto answer = ask(FileOperation::kRead, path);
    return answer.ok() ? *decode_base64(answer->data) : answer.error().reason.str();
  }

  test::TempDir dir_;
  FileRules rules_;
};

}  // namespace paddock::files
