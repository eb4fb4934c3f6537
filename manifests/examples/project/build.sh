#!/bin/bash
set -e
mkdir -p out
echo "$1" > out/kind.txt
