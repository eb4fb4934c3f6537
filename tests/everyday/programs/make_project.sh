# make builds once, and finds nothing to do the second time.
# run: bash make_project.sh
# needs: make gcc
set -e
mkdir -p p && cd p
for i in 1 2 3 4 5 6; do echo "int f$i(void){return $i;}" > f$i.c; done
printf 'OBJS=f1.o f2.o f3.o f4.o f5.o f6.o\nlib.a: $(OBJS)\n\tar rcs $@ $^\n' > Makefile
make -s -j"$(nproc)"; make -q; echo ok
