package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/confine"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// doctorDocument is what doctor prints as JSON. Directories are shown: finding them is what doctor is for.
type doctorDocument struct {
	OK      bool                     `json:"ok"`
	Version versionDocument          `json:"version"`
	Engine  glovebox.Engine          `json:"engine"`
	Checks  []check                  `json:"checks"`
	Plugins []glovebox.DecoderStatus `json:"plugins"`

	Isolation   string            `json:"isolation"`   // where decoders run: in-process or process
	Confinement []confine.Measure `json:"confinement"` // what this system has to keep a helper process in
	Limits      map[string]int64  `json:"limits"`      // by flag; bytes, pixels, units of work; timeout in milliseconds

	disabled map[string]bool // decoders that the data directory says are off
}

func (d *doctorDocument) add(name string, err error, detail string) {
	c := check{Name: name, OK: err == nil, Detail: detail}
	if err != nil {
		c.Detail = strings.TrimPrefix(detail+": "+asFailure("", err).text(), ": ")
	}
	d.Checks = append(d.Checks, c)
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything is in order",
		Long: `Check the configuration, the data directory, the cache of compiled decoders and the
decoders, read a small text through the wall, and print the limits that apply. A data
directory that is not there yet is not made. Exit code 3 if anything is wrong.`,
		Example:     "  glovebox doctor\n  glovebox doctor --json",
		Args:        exactly(0, "no argument"),
		Annotations: map[string]string{unconfigured: "true"}, // a broken configuration is a finding, not the end
		RunE: func(c *cobra.Command, _ []string) error {
			d := a.examine(c.Context(), c.Flags())
			for _, check := range d.Checks {
				if !check.OK {
					a.exit = exitEnvironment
				}
			}
			d.OK = a.exit == exitOK
			if a.global.json {
				return a.printDone(d)
			}
			a.printDoctor(d)
			return nil
		},
	}
}

// examine makes every check; one that fails does not keep the others from being made.
func (a *app) examine(ctx context.Context, flags *pflag.FlagSet) *doctorDocument {
	d := &doctorDocument{Version: thisVersion(), Engine: engine(), Plugins: []glovebox.DecoderStatus{}, Limits: map[string]int64{}}
	var read readFlags
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	read.register(all)
	registerMaxAttachment(all, new(byteSize))
	new(quotaFlags).register(all)
	new(sweepFlags).register(all, "gc-")
	shown := "none, defaults apply"
	if path := configFile(); path != "" {
		shown = path
	}
	err := a.loadConfig()
	err = errors.Join(err, configure(flags, a.getenv, a.config.flags), configure(all, a.getenv, a.config.flags))
	limits, limitsErr := read.limits.limits()
	d.add("configuration", errors.Join(err, limitsErr), shown)
	if limitsErr == nil {
		d.Limits = limitsByFlag(limits)
		d.Limits["max-attachment"] = attachmentLimit(all)
		addQuotas(d.Limits, all)
	}
	a.examineData(ctx, d)
	switch cache := a.global.cacheDir(); cache {
	case "", "-":
		d.Checks = append(d.Checks, check{Name: "cache directory", OK: true, Detail: "none, each run compiles the decoders that it needs"})
	default:
		d.add("cache directory", usable(cache), cache)
	}
	a.examineWall(d)
	a.examineDecoders(ctx, d)
	return d
}

// attachmentLimit is the size of one file that may be attached, as the flags of set say or by default.
func attachmentLimit(set *pflag.FlagSet) int64 {
	if n, ok := set.Lookup("max-attachment").Value.(*byteSize); ok && *n > 0 {
		return int64(*n)
	}
	return defaultMaxAttachment
}

// addQuotas adds to limits the quotas that are set.
func addQuotas(limits map[string]int64, set *pflag.FlagSet) {
	for _, name := range tables["quota"] {
		f := set.Lookup(name)
		if size, ok := f.Value.(*byteSize); ok && *size > 0 {
			limits[name] = int64(*size)
		} else if n, err := strconv.ParseInt(f.Value.String(), 10, 64); !ok && err == nil && n > 0 {
			limits[name] = n
		}
	}
}

// mostCounted is how many sessions doctor counts: it is asked when something is wrong, and then it should not take long.
const mostCounted = 1000

// examineData opens the store, if there is one, and counts what the principal has in it.
func (a *app) examineData(ctx context.Context, d *doctorDocument) {
	at, name := a.store(), "data directory"
	if at.index != "" || at.blobs != "" {
		name = "store"
	}
	usable := func() error {
		if at.remote() {
			return nil
		}
		return writable(at.data)
	}
	if !at.kept() {
		d.add(name, ignoreAbsent(usable()), at.String()+", nothing is kept yet")
		return
	}
	d.disabled = map[string]bool{}
	var counts string
	begin, answered := time.Now(), time.Duration(0)
	err := a.look(ctx, func(k keeper) (err error) {
		decoders, err := k.Decoders(ctx)
		answered = time.Since(begin)
		for _, s := range decoders {
			if !s.Enabled {
				d.disabled[s.Name] = true
			}
		}
		if err == nil {
			counts, err = countKept(ctx, k)
		}
		return err
	})
	if err = errors.Join(err, usable()); err != nil {
		d.add(name, err, at.String())
		return
	}
	state := fmt.Sprintf("schema %d", sqliteindex.Version)
	if at.index != "" {
		state = fmt.Sprintf("answers in %d ms", answered.Milliseconds())
	}
	detail := fmt.Sprintf("%s: %s, %s of principal %s", at, state, counts, a.global.principal)
	if len(d.disabled) > 0 {
		detail += fmt.Sprintf("; disabled decoders: %s", strings.Join(slices.Sorted(maps.Keys(d.disabled)), ", "))
	}
	d.add(name, nil, detail)
}

// countKept says in words how much the principal has.
func countKept(ctx context.Context, k keeper) (string, error) {
	sessions, files, more := 0, 0, ""
	for s, err := range k.Sessions(ctx, true) {
		if err != nil {
			return "", err
		}
		if sessions == mostCounted {
			more = " or more"
			break
		}
		sessions++
		for _, err := range k.session(s.ID).Attachments(ctx) {
			if err != nil {
				return "", err
			}
			files++
		}
	}
	return fmt.Sprintf("%s%s, %s%s", counted(sessions, "session"), more, counted(files, "file"), more), nil
}

// writable is nil if files can be made in dir.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return environment("", "cannot be written", err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return environment("", "cannot be written", err)
	}
	return nil
}

// examineWall says where decoders run, and what keeps a helper process in on this system. A system that lacks a measure is not at fault.
func (a *app) examineWall(d *doctorDocument) {
	d.Isolation, d.Confinement = a.global.isolation, append([]confine.Measure{}, confine.Probe()...)
	var with, without []string
	for _, m := range d.Confinement {
		if m.Active {
			with = append(with, m.Name)
		} else {
			without = append(without, m.Name)
		}
	}
	where := "in this process"
	if a.global.isolation == string(glovebox.IsolationProcess) {
		where = "in processes of their own"
	}
	detail := "decoders run " + where + "; helper processes have " + cmp.Or(strings.Join(with, ", "), "no confinement here")
	if len(without) > 0 {
		detail += "; this system lacks " + strings.Join(without, ", ")
	}
	d.add("wall", a.global.wall(&glovebox.Options{}), detail)
}

// engine is what runs decoders on this machine.
func engine() glovebox.Engine {
	if sandbox.CompilerSupported() {
		return glovebox.EngineCompiler
	}
	return glovebox.EngineInterpreter
}

// examineDecoders lists the decoders and reads a small text through the wall.
func (a *app) examineDecoders(ctx context.Context, d *doctorDocument) {
	p := a.newProgress()
	defer p.close()
	r, err := a.reader(p, &glovebox.Options{OneShot: true})
	if err != nil {
		d.add("decoders", err, "")
		return
	}
	const sample = "A glovebox has gloves in its wall.\n"
	begin := time.Now()
	_, err = r.ReadFile(ctx, bytes.NewReader([]byte(sample)), int64(len(sample)), "doctor.txt", &glovebox.ReadOptions{})
	d.add("a read through the wall", err, fmt.Sprintf("%d ms", time.Since(begin).Milliseconds()))
	ready := 0
	d.Plugins = pluginDocuments(r.Decoders())
	for i, s := range d.Plugins {
		d.Plugins[i].Enabled = s.Enabled && !d.disabled[s.Name]
		if s.Compiled {
			ready++
		}
	}
	detail := fmt.Sprintf("%d, of which %d are compiled", len(d.Plugins), ready)
	if ready < len(d.Plugins) {
		detail += `; "glovebox cache warm" compiles the others now`
	}
	d.add("decoders", r.Close(), detail)
}

// usable is nil if the sandbox would keep compiled decoders in dir: it can be made, files can be made in it, and only by this user, because
// what lies in it is run.
func usable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return environment("", "cannot be made", err)
	}
	if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return environment("", "is not used, because others may write to it", nil)
	}
	return writable(dir)
}

// limitsByFlag names the limits as their flags do.
func limitsByFlag(l readapi.Limits) map[string]int64 {
	return map[string]int64{
		"timeout": l.Timeout.Milliseconds(), "max-input": l.MaxInputBytes, "max-input-images": l.MaxImageInputBytes, "max-output": l.MaxOutputBytes,
		"max-memory": l.MaxMemoryBytes, "max-tokens": l.MaxTokens, "max-pixels": l.MaxPixels, "max-side": l.MaxSide, "max-frames": l.MaxFrames,
		"max-edge": cmp.Or(l.MaxEdge, readapi.DefaultLimits().MaxEdge), "max-fuel": l.Fuel,
	}
}

// limitOrder is the order in which doctor prints limits.
var limitOrder = []string{
	"max-attachment", "max-input", "max-input-images", "max-output", "max-tokens", "timeout", "max-memory", "max-fuel", "max-pixels", "max-side", "max-frames", "max-edge",
}

func (a *app) printDoctor(d *doctorDocument) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "glovebox %s, ABI %d, %s, %s/%s, %s\n", d.Version.Version, d.Version.ABI, d.Version.Go, d.Version.OS, d.Version.Arch, d.Engine)
	for _, c := range d.Checks {
		mark := "ok"
		if !c.OK {
			mark = "WRONG"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", mark, c.Name, readapi.EscapeLine(c.Detail))
	}
	if len(d.Plugins) > 0 {
		fmt.Fprint(w, "\ndecoders\n")
	}
	for _, p := range d.Plugins {
		off := ""
		if !p.Enabled {
			off = "\tdisabled"
		}
		fmt.Fprintf(w, "  %s\t%s\tsha256:%s%s\n", p.Name, p.Version, p.Digest, off)
	}
	if len(d.Limits) > 0 {
		fmt.Fprint(w, "\nlimits\n")
	}
	for _, name := range slices.Concat(limitOrder, tables["quota"]) {
		v, ok := d.Limits[name]
		if !ok {
			continue
		}
		shown := fmt.Sprint(v)
		switch name {
		case "timeout":
			shown = (time.Duration(v) * time.Millisecond).String()
		case "max-attachment", "max-input", "max-input-images", "max-output", "max-memory", "quota-session-bytes", "quota-principal-bytes", "quota-total-bytes":
			shown = formatBytes(v)
		}
		fmt.Fprintf(w, "  %s\t%s\n", name, shown)
	}
	_ = w.Flush() // output remembers a failed write
}
