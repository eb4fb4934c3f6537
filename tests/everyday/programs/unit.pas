// Pascal: the compiler finds its own units.
// run: bash -c 'fpc -v0 -FE/tmp unit.pas && /tmp/unit'
// needs: fp-compiler
program example;
uses sysutils;
begin
  if IntToStr(42) <> '42' then halt(1);
  writeln('ok');
end.
