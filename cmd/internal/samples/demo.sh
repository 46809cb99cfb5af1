#!/bin/sh
# What make demo does once the program is built: BIN is the program, GO the go command, DEMO the folder for what it makes.
set -eu
dir=${DEMO:-build/demo}
say() { printf '\n\033[1m%s\033[0m\n' "$1" | if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then cat; else sed "s/$(printf '\033')\[[01]m//g"; fi; }
# run shows a command as it would be typed, and runs it.
run() {
	printf '$ glovebox'
	for arg in "$@"; do
		case $arg in *' '*) printf ' "%s"' "$arg" ;; *) printf ' %s' "$arg" ;; esac
	done
	printf '\n'
	"$BIN" "$@"
}
# refused runs what must fail, and says which code it ended with.
refused() {
	code=0
	run "$@" || code=$?
	[ "$code" = 1 ] || { echo "exit code $code, want 1"; exit 1; }
	echo "(exit code $code)"
}

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

say "7. A conversation: its files are kept, in a data directory of the demo's own"
export GLOVEBOX_DATA="$dir/data"
rm -rf "$GLOVEBOX_DATA"
run attach --session chat-42 --message "the report, and my notes" "$dir/report.pdf" "$dir/notes-gb18030.txt"

say "8. In a later turn it is found again, by the name of a file, with an address where a read will work"
run recall --session chat-42 report.pdf
address=$("$BIN" recall --session chat-42 --json report.pdf | sed -n 's/.*"name":"report\.pdf"[^}]*"resource":"\([^"]*\)".*/\1/p')
[ -n "$address" ] || { echo "recall gave no address"; exit 1; }

say "9. The address opens it"
run read --session chat-42 --pages 1 "$address"

say "10. Another session hears of the message, gets no address, and cannot use this one"
run attach --session chat-7 "$dir/photo.jpg"
run recall --session chat-7 report.pdf
refused read --session chat-7 "$address"

say "11. Without its decoder the PDF has no address, and nobody promises one"
run plugin disable pdf
run attachment list --session chat-42
refused read --session chat-42 "$address"

say "12. With it the same address is back"
run plugin enable pdf
run attachment list --session chat-42
run read --session chat-42 --json "$address" | sed 's/^\(.\{250\}\).*/\1 …/'

say "Every byte of these files was parsed inside a sandbox without files, network or clock."
printf 'Try your own: %s read FILE    More: README.md, %s read --help\n' "$BIN" "$BIN"
