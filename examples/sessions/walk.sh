#!/bin/sh
# A session from its creation to its end: files in, a command, what is refused, files out.
# Needs an instance that is up: `paddock up`. Prints what it does; ends with 0 if all went as it should.
set -eu

name=$(paddock sandbox create --timeout 5s --memory 128Mi)
trap 'paddock sandbox destroy "$name" >/dev/null 2>&1 || true' EXIT
echo "session $name"

printf 'pear\napple\npear\n' | paddock sandbox files "$name" fruit.txt --put -
paddock sandbox exec "$name" 'sort fruit.txt | uniq -c > counted.txt'
paddock sandbox files "$name" counted.txt

echo "a command that runs for too long:"
if paddock sandbox exec "$name" 'while :; do :; done'; then exit 1; fi

echo "a network that was not allowed:"
if paddock sandbox exec "$name" -- python3 -c 'import socket; socket.create_connection(("192.0.2.1", 80))'; then exit 1; fi

echo "and the session goes on:"
paddock sandbox exec "$name" 'cat counted.txt'
