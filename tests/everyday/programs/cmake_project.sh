# CMake: configure, build on all processors, test, install.
# run: bash cmake_project.sh
# needs: cmake g++ make
# limits: {memory: 2Gi, cpuTime: 100s, pids: 128}
set -e
mkdir -p project && cd project
cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(answer CXX)
add_library(answer answer.cpp)
add_executable(ask ask.cpp)
target_link_libraries(ask answer)
enable_testing()
add_test(NAME ask COMMAND ask)
install(TARGETS ask DESTINATION bin)
END
echo 'int answer() { return 42; }' > answer.cpp
printf '#include <iostream>\n#include <thread>\nint answer();\nint main() { std::thread t([] { std::cout << answer() << "\\n"; }); t.join(); return answer() != 42; }\n' > ask.cpp
cmake -S . -B build -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release > log.txt || { cat log.txt; exit 1; }
cmake --build build -j"$(nproc)" >> log.txt 2>&1 || { cat log.txt; exit 1; }
ctest --test-dir build >> log.txt || { cat log.txt; exit 1; }
cmake --install build --prefix "$PWD/installed" >> log.txt
./installed/bin/ask
echo ok
