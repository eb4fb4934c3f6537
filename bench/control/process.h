// What a process of this host uses.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "common/os/fd.h"

namespace paddock::bench {

double cpu_ms(pid_t pid);      // of it and of the children that it waited for
double own_cpu_ms();           // of this program
double machine_cpu_ms();       // of everything, since the start of the host
double memory_mib(pid_t pid);  // resident
double peak_memory_mib(pid_t pid);
int threads_of(pid_t pid);

// A daemon of ours, until it is stopped. Its output goes to a file.
class Process {
 public:
  Process(std::vector<std::string> argv, std::map<std::string, std::string> environment,
          const std::string& log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  pid_t pid() const { return pid_; }
  void stop(int signal);  // and waits

 private:
  pid_t pid_ = -1;
};

// Runs a program to its end; whether it ended with 0. Its output goes where ours goes.
bool run_program(const std::vector<std::string>& argv,
                 const std::map<std::string, std::string>& more_environment = {}, int out = -1);

// A folder that is gone with this object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace paddock::bench
