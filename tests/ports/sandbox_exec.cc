// Stands in for macOS's sandbox-exec: takes the same arguments, keeps the profile on record, marks
// the process as confined and becomes the program. Its variables come with the run's environment:
// STAND_IN_RECORD names a folder; STAND_IN is `refuse`, or `open` to forget the mark.
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kRefused = 65;
  if (argc < 4 || std::string_view(argv[1]) != "-p") return 64;
  if (variable("STAND_IN") == "refuse") return kRefused;
  if (const std::string_view folder = variable("STAND_IN_RECORD"); !folder.empty())
    std::ofstream(std::string(folder) + "/profile.sb") << argv[2];
  if (variable("STAND_IN") != "open") prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  execv(argv[3], argv + 3);
  return 71;
}
