#!/bin/sh
# What make demo does once the program is built: BIN is the program, GO the go command.
set -eu
dir=build/demo
say() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then cat; else sed "s/$(printf '\033')\[[01]m//g"; fi; }
run() { printf '$ glovebox %s\n' "$*"; "$BIN" "$@"; }

export GLOVEBOX_CACHE="$GLOVEBOX_TEST_CACHE" # what the demo compiles, the tests need not compile again

say "1. Sample files"
"$GO" run ./cmd/internal/samples "$dir"

say "2. The decoders, compiled for this machine (the first time this takes some seconds)"
run cache warm

say "3. A PDF: its second page"
run read --pages 2 "$dir/report.pdf"

say "4. A photo: turned upright, scaled, its EXIF and GPS data dropped"
run read --out "$dir/pictures" "$dir/photo.jpg"

say "5. A Chinese text in GB18030"
run read "$dir/notes-gb18030.txt"

say "6. The same for a program: one JSON document per file"
run read --json --max-tokens 40 "$dir/report.pdf" | sed 's/^\(.\{400\}\).*/\1 …/'

say "Every byte of these files was parsed inside a sandbox without files, network or clock."
printf 'Try your own: %s read FILE    More: README.md, %s read --help\n' "$BIN" "$BIN"
