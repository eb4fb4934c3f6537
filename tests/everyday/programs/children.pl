# Perl: children, pipes, sorted words of other languages, no complaint about a locale.
# run: perl -w children.pl
use strict;
use warnings;
use POSIX qw(setlocale LC_ALL);
defined setlocale(LC_ALL, "") or die "no locale";
my @sums = map {
  my $n = $_;
  open(my $child, "-|", $^X, "-e", "print $n * $n") or die "open: $!";
  my $answer = <$child>;
  close $child;
  $answer;
} 1 .. 5;
die "@sums" unless "@sums" eq "1 4 9 16 25";
print join(" ", @sums), "\n", "ok\n";
