# What finds faults and time without tracing another process: valgrind, gprof, gcov, Python's profiler and debugger.
# run: bash profilers.sh
# needs: gcc valgrind
# limits: {memory: 1Gi, cpuTime: 100s, pids: 64}
set -e
cat > sum.c <<'C'
#include <stdlib.h>
int main(int count, char** words) {
  (void)words;
  char* bytes = malloc(8);
  bytes[7] = (char)count;
  if (count == 1) free(bytes);
  return bytes == 0;
}
C
gcc -g -pg --coverage -o sum sum.c
valgrind --quiet --leak-check=full --error-exitcode=9 ./sum
if valgrind --quiet --leak-check=full --error-exitcode=9 ./sum leaks 2> /dev/null; then exit 1; fi
valgrind --quiet --tool=callgrind --callgrind-out-file=calls ./sum && grep -q '^fn=.*main' calls
gprof ./sum gmon.out | grep -q 'Flat profile'
gcov --stdout *.gcda | grep -q '#include <stdlib.h>'
printf 'def twice(n): return 2 * n\nprint(twice(3))\n' > twice.py
python3 -m cProfile -s time twice.py | grep -q 'twice.py:1(twice)'
python3 -m pdb -c 'break twice' -c continue -c 'p n' -c quit twice.py | grep -qx 3
echo ok
