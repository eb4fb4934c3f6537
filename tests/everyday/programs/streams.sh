# The standard streams by their names, process substitution, a silent locale.
# run: bash streams.sh
set -e
echo to-stderr > /dev/stderr; echo to-stdout | tee /dev/stdout >/dev/null
paste <(printf 'a\nb\n') <(printf '1\n2\n') | tail -1; locale >/dev/null
perl -e 'print "perl\n"' 2>err.txt; [ ! -s err.txt ]; rm -f err.txt
echo ok
