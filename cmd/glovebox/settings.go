package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// configurable lists the flags that an environment variable (GLOVEBOX_MAX_INPUT) or the configuration file (max_input) may set too. The
// others say what to read, so they have no standing value.
var configurable = []string{
	"data", "index", "blobs", "cache", "principal", "isolation", "json", "form", "jobs", "profile", "profiles", "max-attachment", "max-tokens", "timeout", "max-input", "max-output", "max-memory", "max-pixels",
	"max-side", "max-frames", "max-edge", "max-fuel",
}

// environmental lists the flags that an environment variable may set and the configuration file may not: they hold for a shell, or for an
// agent that was started in one, and not for ever.
var environmental = []string{"session"}

// global is what every command takes.
type global struct {
	json                   bool
	data, cache, principal string
	index, blobs           string // URLs of what is not in data
	isolation              string
}

func (g *global) register(f *pflag.FlagSet) {
	f.BoolVar(&g.json, "json", false, "print results and errors as JSON on standard output")
	f.StringVar(&g.data, "data", "", "`DIR` for all that glovebox keeps (default: the user data and cache directories)")
	f.StringVar(&g.index, "index", "", "keep rows in the database at `URL`, postgres://USER@HOST/NAME (default: SQLite in --data)")
	f.StringVar(&g.blobs, "blobs", "", "keep files in the bucket at `URL`, s3://BUCKET?endpoint=https://HOST (default: a folder in --data)")
	f.StringVar(&g.cache, "cache", "", "`DIR` for compiled decoders, - for none (default: cache inside --data, else the user cache directory)")
	f.StringVar(&g.isolation, "isolation", string(glovebox.IsolationInProcess), "`WHERE` decoders run: in-process, or process for a confined process each")
	f.StringVar(&g.principal, "principal", string(readapi.LocalPrincipal), "`NAME` of whom the sessions belong to")
}

// wall fills in what o says about where decoders run.
func (g *global) wall(o *glovebox.Options) error {
	o.Isolation, o.Helper = glovebox.Isolation(g.isolation), helperCommand()
	if !slices.Contains(isolations, g.isolation) {
		return usage("--isolation is in-process or process", "")
	}
	return nil
}

// isolations are the values of --isolation.
var isolations = []string{string(glovebox.IsolationInProcess), string(glovebox.IsolationProcess)}

// registerMaxAttachment adds the flag that bounds one file that is attached.
func registerMaxAttachment(f *pflag.FlagSet, size *byteSize) {
	f.Var(size, "max-attachment", "size of one file (default "+formatBytes(defaultMaxAttachment)+")")
}

// defaultMaxAttachment is what the host takes unless it is told otherwise.
const defaultMaxAttachment = 50 << 20

// dataDir is where the program keeps what must not be lost.
func (g *global) dataDir() string {
	if g.data != "" {
		return g.data
	}
	return filepath.Join(xdg.DataHome, "glovebox")
}

// cacheDir is where compiled decoders lie; "-", or "" where the user has no such directory, when each run compiles what it needs.
func (g *global) cacheDir() string {
	switch {
	case g.cache != "":
		return g.cache
	case g.data != "":
		return filepath.Join(g.data, "cache")
	}
	return glovebox.DefaultCacheDir()
}

// limitFlags are the flags that raise or lower a limit of one read.
type limitFlags struct {
	timeout                               time.Duration
	input, output, memory                 byteSize
	pixels, side, frames, edge, fuel, tok int64
}

func (l *limitFlags) register(f *pflag.FlagSet) {
	d := readapi.DefaultLimits()
	def := func(s string, v any) string { return fmt.Sprintf("%s (default %v)", s, v) }
	f.Int64Var(&l.tok, "max-tokens", 0, "`N` estimated tokens in one answer, -1 for no limit (default "+strconv.FormatInt(d.MaxTokens, 10)+"; on a terminal and with --all: no limit)")
	f.DurationVar(&l.timeout, "timeout", 0, def("time for reading one file", d.Timeout))
	f.Var(&l.input, "max-input", def("size of a file", formatBytes(d.MaxInputBytes)+", images "+formatBytes(d.MaxImageInputBytes)))
	f.Var(&l.output, "max-output", def("size of one answer", formatBytes(d.MaxOutputBytes)))
	f.Var(&l.memory, "max-memory", def("memory of a decoder", formatBytes(d.MaxMemoryBytes)))
	f.Int64Var(&l.pixels, "max-pixels", 0, def("`N` pixels of one picture before it is decoded", d.MaxPixels))
	f.Int64Var(&l.side, "max-side", 0, def("`N` pixels of one side of a picture", d.MaxSide))
	f.Int64Var(&l.frames, "max-frames", 0, def("`N` frames of an animation in one answer", d.MaxFrames))
	f.Int64Var(&l.edge, "max-edge", 0, fmt.Sprintf("scale pictures down to `N` pixels of their longer side (default that of --profile, else %d)", d.MaxEdge))
	f.Int64Var(&l.fuel, "max-fuel", 0, def("`N` units of work of a decoder", d.Fuel))
}

// limits are the defaults and what the flags say.
func (l *limitFlags) limits() (readapi.Limits, error) {
	out := readapi.Limits{
		MaxInputBytes: int64(l.input), MaxImageInputBytes: int64(l.input), Timeout: l.timeout, MaxOutputBytes: int64(l.output), MaxMemoryBytes: int64(l.memory),
		MaxPixels: l.pixels, MaxSide: l.side, MaxFrames: l.frames, MaxEdge: l.edge, Fuel: l.fuel, MaxTokens: l.tok,
	}
	// A larger frame is of no use while the sum over all frames still has its default.
	if d := readapi.DefaultLimits(); l.pixels > d.MaxTotalPixels {
		out.MaxTotalPixels = l.pixels
	}
	out, err := out.WithDefaults()
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		return out, usage(e.Detail, e.Hint)
	}
	return out, err
}

// limitFlag names the flag that moves the limit called name in readapi.Limits, "" when there is none.
func limitFlag(name string) string {
	switch name {
	case "max_input_bytes", "max_image_input_bytes":
		return "max-input"
	case "max_output_bytes":
		return "max-output"
	case "max_memory_bytes":
		return "max-memory"
	case "max_total_pixels":
		return "max-pixels"
	case "timeout", "timeout_ms":
		return "timeout"
	case "fuel":
		return "max-fuel"
	case "max_attachment_bytes":
		return "max-attachment"
	}
	if flag := strings.ReplaceAll(name, "_", "-"); strings.HasPrefix(flag, "max-") && slices.Contains(configurable, flag) {
		return flag
	}
	return ""
}

// defaultJobs is how many files are read at once: as many as there are cores, within reason, because each may take the whole memory limit.
func defaultJobs() int { return min(max(2, runtime.NumCPU()), 8) }

// maxJobs bounds --jobs.
const maxJobs = 64

// scalar is a TOML value as its flag would be typed.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// set gives f the standing value v and reports whether it fits. A number out of range would be a mistake of the command line later on,
// where nobody typed it.
func set(f *pflag.Flag, v string) bool {
	if f.Value.Set(v) != nil {
		return false
	}
	switch v = f.Value.String(); f.Name {
	case "jobs":
		n, err := strconv.Atoi(v)
		return err == nil && n >= 1 && n <= maxJobs
	case "max-tokens":
		return v == "-1" || !strings.HasPrefix(v, "-")
	case "data", "cache":
		return true
	case "index":
		return checkIndexURL(v) == nil
	case "blobs":
		return checkBlobsURL(v) == nil
	case "principal":
		return readapi.PrincipalID(v).Valid()
	case "session":
		return readapi.SessionID(v).Valid()
	}
	return !strings.HasPrefix(v, "-")
}

// envName is the environment variable of a flag.
func envName(flag string) string {
	return "GLOVEBOX_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// configure gives every flag of flags that was not typed its value from the environment, else from config. A data directory that was typed
// holds all: it is not for a database that stands in the environment to take its place.
func configure(flags *pflag.FlagSet, getenv func(string) string, config map[string]string) error {
	data := flags.Lookup("data")
	for _, name := range slices.Concat(configurable, environmental, tables["quota"], tables["gc"]) {
		f := flags.Lookup(name)
		if f == nil || f.Changed || (name == "index" || name == "blobs") && data != nil && data.Changed {
			continue
		}
		if v := getenv(envName(name)); v != "" {
			if !set(f, v) {
				return environment(envName(name), "the value does not fit", nil)
			}
			continue
		}
		if v, ok := config[name]; ok {
			if !set(f, v) {
				return configWrong(fmt.Sprintf("the value of %q does not fit", name))
			}
		}
	}
	return nil
}
