// Which commands a compute run may have, and a script run. Pure: words and file names in, refusals
// out. The program is executed without a shell, inside a sandbox; these rules keep it a file of the
// workspace that can be read and reviewed, and nothing else.
//
//   first word     exactly python3, python, node or bash
//   every word     no shell metacharacter: | || ; & && ` $( > < or a line break
//   every word     no flag that runs other code than the script: -c -e -m -i -W --eval --require
//                  --import, alone or joined by =; for node also -p -pe -r --print --loader …; for
//                  python -X; for bash --rcfile --init-file; attached (-mpip) and bundled (-Ic,
//                  -xc) as the interpreter reads it. So a script's own -epochs passes, its -model,
//                  which python reads as -m odel, does not: the design wants this behind the script
//                  too.
//   before script  only options known to be harmless; for bash none
//   script         a file of the workspace; for bash an .sh file as the second word
//   every word     no absolute path and no .. part, also inside --opt=/path, -o/path, @/path, a:/b;
//                  but below /volumes/NAME of a volume that the run reads
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/admission/file_names.h"
#include "controller/admission/word_rules.h"

namespace paddock::admission {

// Every refusal, in the order of the rules above; empty if the command may run.
std::vector<Refusal> check_command(const std::vector<std::string>& argv, const FileNames& files,
                                   const VolumeNames& volumes = {});

// A run of type `script`: the same rules, and the program is bash.
std::vector<Refusal> check_script_command(const std::vector<std::string>& argv,
                                          const FileNames& files, const VolumeNames& volumes = {});

}  // namespace paddock::admission
