#include "node-agent/sandbox/plan/program_head.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"

namespace paddock::sandbox {
namespace {

using testing::HasSubstr;

TEST(ProgramHead, NamesWhatTheKernelStarts) {
  EXPECT_EQ(read_program_head("#!/bin/sh\necho\n").interpreter, "/bin/sh");
  EXPECT_EQ(read_program_head("#! /usr/bin/env python3\n").interpreter, "/usr/bin/env");
  EXPECT_TRUE(read_program_head("#!/bin/sh").script);
  EXPECT_EQ(read_program_head("").interpreter, "");
  EXPECT_EQ(read_program_head("\x7f"
                              "ELF")
                .interpreter,
            "");
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  ASSERT_TRUE(own.ok());
  const ProgramHead head = read_program_head(*own);
  EXPECT_FALSE(head.script);
  EXPECT_THAT(head.interpreter, HasSubstr("ld"));
}

TEST(ProgramHead, SurvivesEveryCutAndEveryFlippedByte) {
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  ASSERT_TRUE(own.ok());
  const std::string head = own->substr(0, 1200);
  for (size_t size = 0; size < head.size(); ++size)
    (void)read_program_head(std::string_view(head).substr(0, size));
  for (size_t at = 4; at < head.size(); ++at) {
    std::string broken = head;
    broken[at] = static_cast<char>(~broken[at]);
    (void)read_program_head(broken);
  }
}

std::string own_loader() {
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  return own.ok() ? read_program_head(*own).interpreter : std::string();
}

// What execve() answers to a file of these bytes; 0 if it was executed.
int answer_to(std::string_view program) {
  const int file = memfd_create("program", MFD_CLOEXEC);
  if (write(file, program.data(), program.size()) != static_cast<ssize_t>(program.size()))
    return -1;
  const pid_t child = fork();
  if (child == 0) {
    char name[] = "program", option[] = "--version";
    char* words[] = {name, option, nullptr};
    char* none[] = {nullptr};
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    fexecve(file, words, none);
    _exit(errno);
  }
  int status = -1;
  waitpid(child, &status, 0);
  close(file);
  return WEXITSTATUS(status);
}

// proves: WSM-25
TEST(InterpreterOnly, IsALoaderThatTheKernelDoesNotExecute) {
  auto loader = os::read_file(own_loader(), size_t{1} << 30);
  if (!loader.ok()) GTEST_SKIP() << "this program has no loader";
  const auto copy = interpreter_only(*loader);
  ASSERT_TRUE(copy);
  EXPECT_EQ(read_program_head(*copy).interpreter, "/");
  if (answer_to(*loader) != 0) GTEST_SKIP() << "this host executes no file in memory";
  EXPECT_EQ(answer_to(*copy), EACCES);
}

// What programs load is what it was: but for one line of the table all bytes are the same.
TEST(InterpreterOnly, DiffersInOneLineOfItsTable) {
  const auto loader = os::read_file(own_loader(), size_t{1} << 30);
  if (!loader.ok()) GTEST_SKIP() << "this program has no loader";
  const std::string copy = interpreter_only(*loader).value();
  ASSERT_EQ(copy.size(), loader->size() + 2);
  size_t first = copy.size(), last = 0;
  for (size_t at = 0; at < loader->size(); ++at) {
    if ((*loader)[at] == copy[at]) continue;
    first = std::min(first, at);
    last = at;
  }
  EXPECT_LT(last - first, 56u);
}

// A program may name another one as its interpreter.
TEST(InterpreterOnly, IsNoProgramEither) {
  const auto own = os::read_file("/proc/self/exe", size_t{1} << 30);
  ASSERT_TRUE(own.ok());
  const auto copy = interpreter_only(*own);
  ASSERT_TRUE(copy);
  EXPECT_EQ(read_program_head(*copy).interpreter, "/");
}

TEST(InterpreterOnly, IsNothingForOtherFiles) {
  EXPECT_FALSE(interpreter_only(""));
  EXPECT_FALSE(interpreter_only("#!/bin/sh\n"));
  EXPECT_FALSE(
      interpreter_only(std::string("\x7f"
                                   "ELF\x02")));
  EXPECT_FALSE(interpreter_only(std::string("\x7f"
                                            "ELF\x02") +
                                std::string(100, '\0')));
}

}  // namespace
}  // namespace paddock::sandbox
