package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/testdata/samples"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

func cmdSample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sample KIND NAME [ARG]")
	}
	kind, name, arg := args[0], args[1], ""
	if len(args) > 2 {
		arg = args[2]
	}
	unquoted, err := strconv.Unquote(`"` + name + `"`)
	ts.Check(err)
	path := ts.MkAbs(unquoted)
	if kind == "fifo" {
		ts.Check(mkfifo(path))
		return
	}
	b, err := sampleBytes(kind, arg)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, b, 0o644))
}

// rawHeader is the header of a frame, written down as it is.
type rawHeader string

func (h rawHeader) AppendJSON(dst []byte) []byte { return append(dst, h...) }

func sampleBytes(kind, arg string) ([]byte, error) {
	n, _ := strconv.Atoi(arg) // where a number is wanted, 0 shows in what is made
	switch kind {
	case "pdf":
		return samples.PDF(samples.Report()), nil
	case "photo":
		return samples.Photo(320, 240)
	case "png":
		return samples.PNG(n, n)
	case "gif":
		return samples.GIF(n)
	case "lines":
		return samples.Lines(n), nil
	case "gb18030":
		return samples.GB18030(arg)
	case "module": // a decoder in good order
		return hostiletest.PuppetNamed(arg), nil
	case "attack": // one that may be compiled and does not get far: FUNCTION ATTACK
		in, attack, _ := strings.Cut(arg, " ")
		return hostiletest.In(in, hostiletest.Attack(attack)), nil
	case "describes": // one that says this of itself
		payload, err := abi.AppendFrame(nil, rawHeader(arg), nil)
		return hostiletest.Describing(hostiletest.Frame{Kind: abi.KindDescribe, Payload: payload}), err
	case "untyped": // one that keeps the rules and adds numbers that are not there
		i32 := binarytest.Types{binarytest.I32}
		m := binarytest.New()
		m.Memory(1, 1)
		m.ExportMemory(abi.ExportMemory)
		for _, name := range []string{abi.ExportABI, abi.ExportDescribe, abi.ExportDecode} {
			m.ExportFunc(name, m.Func(nil, i32, nil, binarytest.Op(0x6a)))
		}
		return m.Bytes(), nil
	case "bad": // one that breaks a rule, by name
		for _, b := range binarytest.BadModules() {
			if b.Name == arg {
				return b.Wasm(), nil
			}
		}
	case "raw":
		s, err := strconv.Unquote(`"` + arg + `"`)
		return []byte(s), err
	}
	return nil, fmt.Errorf("no sample %q", kind)
}

func cmdField(ts *testscript.TestScript, neg bool, args []string) {
	line := 1
	if len(args) == 4 && strings.HasPrefix(args[1], "-") {
		n, err := strconv.Atoi(args[1][1:])
		ts.Check(err)
		line = n
		args = append(args[:1], args[2:]...)
	}
	if len(args) != 3 {
		ts.Fatalf("usage: field FILE [-N] PATH WANT")
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	if line > len(lines) {
		ts.Fatalf("%d lines, want line %d", len(lines), line)
	}
	got, err := lookup(lines[line-1], args[1])
	ts.Check(err)
	want := args[2]
	if unquoted, err := strconv.Unquote(`"` + want + `"`); err == nil && !strings.HasPrefix(want, "{") {
		want = unquoted // a \n in the script
	}
	if (got == want || got == args[2]) == neg {
		ts.Fatalf("%s is %s", args[1], got)
	}
}

// lookup is the value at a path such as parts.0.text: a string as it is, anything else as JSON, "absent" when there is none. The last
// element "len" is the length of a list.
func lookup(line, path string) (string, error) {
	var v any
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("%w in %q", err, line)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			value, ok := x[key]
			if !ok {
				return "absent", nil
			}
			v = value
		case []any:
			if key == "len" {
				return strconv.Itoa(len(x)), nil
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				return "absent", nil
			}
			v = x[i]
		default:
			return "absent", nil
		}
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSpace(b.String()), err
}

func cmdSetFrom(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: setfrom VAR FILE PATH")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[1]), "\n")
	got, err := lookup(line, args[2])
	ts.Check(err)
	if got == "absent" {
		ts.Fatalf("%s is absent", args[2])
	}
	ts.Setenv(args[0], got)
}

func cmdSchema(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: schema NAME FILE")
	}
	schema, err := loadSchema(args[0])
	ts.Check(err)
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[1]), "\n"), "\n")
	for i, line := range lines {
		if err := validate(schema, line); err != nil {
			ts.Fatalf("line %d: %v", i+1, err)
		}
	}
}

func cmdTerminal(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: terminal CMD ARG...")
	}
	shown, err := onTerminal(ts.Getenv("WORK"), environ(ts), args, "")
	ts.Logf("[terminal]\n%s", shown)
	if exit, ok := errors.AsType[*exec.ExitError](err); neg && ok && exit.Exited() {
		err = nil
	} else if neg {
		ts.Fatalf("the command did not fail: %v", err)
	}
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(shown))
	ts.Check(err)
}

// cmdAsked answers with its first argument what the command on the terminal asks. Whether the command fails is not looked at.
func cmdAsked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: asked ANSWER CMD ARG...")
	}
	shown, err := onTerminal(ts.Getenv("WORK"), environ(ts), args[1:], args[0]+"\n")
	ts.Logf("[terminal]\n%s%v", shown, err)
	_, err = ts.Stdout().Write([]byte(shown))
	ts.Check(err)
}

// environ is the script's environment, as far as the program looks at it.
func environ(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, key := range []string{"PATH", "HOME", "TERM", "NO_COLOR", "GLOVEBOX_CACHE", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		env = append(env, key+"="+ts.Getenv(key))
	}
	return env
}
