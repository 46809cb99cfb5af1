package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// Verdicts of plugin check.
const (
	accepted = "accepted"
	refused  = "refused"
)

// The rules that a module can break behind admission, beside those of package binary.
const (
	ruleCompile  = "compile"  // it is not valid, or too expensive to compile
	ruleDescribe = "describe" // it does not say what it is
)

// checkDocument is what plugin check prints as JSON.
type checkDocument struct {
	File    string         `json:"file"` // as typed
	SHA256  string         `json:"sha256"`
	Verdict string         `json:"verdict"`          // accepted or refused
	Rule    string         `json:"rule,omitempty"`   // that it breaks
	Detail  string         `json:"detail,omitempty"` // how, in one sentence
	Offset  *int64         `json:"offset,omitempty"` // where in the file, unless the rule is about the module as a whole
	Imports []checkImport  `json:"imports"`
	Exports []checkExport  `json:"exports"`
	Customs []checkCustom  `json:"custom_sections"`
	Sizes   map[string]int `json:"sizes"` // of what was read before a refusal
	Decoder *checkDecoder  `json:"decoder,omitempty"`
}

type checkImport struct {
	Module string `json:"module"`
	Name   string `json:"name"`
	Type   string `json:"type"`
}

type checkExport struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Type string `json:"type,omitempty"`
}

type checkCustom struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// checkDecoder is what an accepted module says of itself.
type checkDecoder struct {
	readapi.DecoderInfo
	MediaTypes []readapi.MediaType `json:"media_types"`
	Unit       readapi.Unit        `json:"unit"`
	Forms      []readapi.Form      `json:"forms"`
	Children   bool                `json:"children"`
	Samples    int                 `json:"samples"`
}

func (a *app) pluginCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE.wasm",
		Short: "Say whether a module may run as a decoder, and what it is made of",
		Long: `Hold a WebAssembly module against the rules of the wall, before anything of it runs:
sizes, imports, exports, features. One that keeps them is compiled in a helper process
with limits of its own, and asked behind the wall what it decodes. Exit code 1, and the
rule, when it is refused. Nothing is installed.`,
		Example: "  glovebox plugin check vcard.wasm\n  glovebox plugin check --json vcard.wasm",
		Args:    exactly(1, "one file"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(c *cobra.Command, args []string) error {
			wasm, err := a.readModule(c.Context(), args[0])
			if err != nil {
				return err
			}
			d, err := a.checkModule(c.Context(), args[0], wasm)
			if err != nil {
				return err
			}
			if d.Verdict == refused {
				a.exit = exitFailed
			}
			if a.global.json {
				return a.printDone(d)
			}
			a.printCheck(d)
			return nil
		},
	}
}

// maxModuleFile is how much of a file is read: admission refuses what is larger than it allows, and says so.
const maxModuleFile = 64 << 20

func (a *app) readModule(ctx context.Context, name string) (wasm []byte, err error) {
	var s *source
	if name == "-" {
		s, err = a.openStdin(ctx, maxModuleFile)
	} else {
		s, err = openFile(ctx, name, name, maxModuleFile)
	}
	if err != nil {
		return nil, err
	}
	if s.size > maxModuleFile {
		f := failed(name, readapi.CodeTooLarge, "this is too large for a module", nil)
		f.err.Limit = &readapi.LimitHit{Name: "max_module_bytes", Value: maxModuleFile, Actual: s.size}
		return nil, errors.Join(f, s.close())
	}
	wasm = make([]byte, s.size)
	if n, err := io.ReadFull(io.NewSectionReader(s, 0, s.size), wasm); err != nil && int64(n) < s.size {
		return nil, errors.Join(fileFailure(name, err), s.close())
	}
	return wasm, s.close()
}

// checkModule makes up the verdict. An error means that there is none: no helper, or somebody interrupted.
func (a *app) checkModule(ctx context.Context, name string, wasm []byte) (*checkDocument, error) {
	sum := sha256.Sum256(wasm)
	d := &checkDocument{
		File: name, SHA256: hex.EncodeToString(sum[:]), Verdict: accepted,
		Imports: []checkImport{}, Exports: []checkExport{}, Customs: []checkCustom{}, Sizes: map[string]int{},
	}
	admit := &binary.AdmitOptions{RequireABI: true}
	report, err := binary.Inspect(wasm, admit)
	if report != nil {
		d.fill(report)
	}
	if err == nil {
		err = a.tryModule(ctx, d, wasm, admit)
	}
	rule, broken := errors.AsType[*binary.RuleError](err)
	switch {
	case err == nil:
	case broken:
		d.refuse(rule.Rule, rule.Detail)
		if rule.Offset >= 0 {
			d.Offset = &rule.Offset
		}
	default:
		e, ok := errors.AsType[*readapi.Error](err)
		if !ok || e.Code == readapi.CodeCanceled || e.Code == readapi.CodeBusy || e.Code == readapi.CodeCapabilityUnavailable || e.Code == readapi.CodeInternal {
			return nil, asFailure(name, err)
		}
		switch {
		case e.Code == readapi.CodeModuleRefused:
			d.refuse(ruleCompile, e.Message())
		case e.Limit != nil: // the sentences of limits are about reading a file
			d.refuse(ruleDescribe, "a limit was hit before it had said what it is: "+e.Limit.String())
		case e.Code == readapi.CodeBadOutput && e.Err != nil: // which names the key; it is escaped as it is printed
			d.refuse(ruleDescribe, cmp.Or(e.Detail, e.Message())+": "+strings.TrimPrefix(e.Err.Error(), "abi: "))
		default:
			d.refuse(ruleDescribe, e.Message())
		}
	}
	return d, nil
}

// tryModule compiles the module in a helper, and asks it what it is.
func (a *app) tryModule(ctx context.Context, d *checkDocument, wasm []byte, admit *binary.AdmitOptions) error {
	p := a.newProgress()
	defer p.close()
	done := p.compiling("new")
	decoder, err := plugins.FromModule(ctx, wasm, &plugins.ModuleOptions{Helper: helperCommand(), Rewrite: &binary.RewriteOptions{Admit: admit}})
	done()
	if err != nil {
		return err
	}
	d.Decoder = &checkDecoder{
		DecoderInfo: decoder.Info(), MediaTypes: decoder.MediaTypes, Unit: decoder.Unit, Forms: withAuto(decoder.Forms), Children: decoder.Children,
		Samples: len(decoder.Samples),
	}
	return nil
}

func (d *checkDocument) refuse(rule, detail string) {
	d.Verdict, d.Rule, d.Detail = refused, rule, detail
}

func (d *checkDocument) fill(r *binary.Report) {
	for _, i := range r.Imports {
		d.Imports = append(d.Imports, checkImport{i.Module, i.Name, i.Type.String()})
	}
	for _, e := range r.Exports {
		d.Exports = append(d.Exports, checkExport{e.Name, e.Kind, e.Type})
	}
	for _, c := range r.Customs {
		d.Customs = append(d.Customs, checkCustom{c.Name, c.Bytes})
	}
	d.Sizes = map[string]int{
		"bytes": r.Bytes, "types": r.Types, "functions": r.Funcs, "globals": r.Globals, "code_bytes": r.CodeBytes, "largest_body": r.LargestBody,
		"most_locals": r.MostLocals, "most_instructions": r.MostInstrs, "data_segments": r.DataSegments, "data_bytes": r.DataBytes,
		"element_segments": r.ElemSegments, "elements": r.Elems, "tables": len(r.Tables),
	}
	if r.Memory != nil {
		d.Sizes["memory_min_pages"] = int(r.Memory.Min)
		if r.Memory.Max >= 0 {
			d.Sizes["memory_max_pages"] = int(r.Memory.Max)
		}
	}
}

// sizeOrder is the order in which sizes are printed, with the words for people.
var sizeOrder = [][2]string{
	{"bytes", "module, bytes"}, {"code_bytes", "code, bytes"}, {"data_bytes", "data, bytes"}, {"functions", "functions"}, {"largest_body", "largest function, bytes"},
	{"most_instructions", "most instructions of a function"}, {"most_locals", "most locals of a function"}, {"types", "types"}, {"globals", "globals"},
	{"tables", "tables"}, {"elements", "elements of tables"}, {"data_segments", "data segments"}, {"element_segments", "element segments"},
	{"memory_min_pages", "memory at the start, pages of 64 KiB"}, {"memory_max_pages", "memory at most, pages"},
}

func (a *app) printCheck(d *checkDocument) {
	line := func(s string) { fmt.Fprintln(a.out, readapi.EscapeLine(s)) }
	switch {
	case d.Verdict == accepted:
		line(fmt.Sprintf("%s: accepted: %s %s, for %s", d.File, d.Decoder.Name, d.Decoder.Version, join(d.Decoder.MediaTypes)))
	case d.Offset != nil:
		line(fmt.Sprintf("%s: refused by the rule %s at byte %d: %s", d.File, d.Rule, *d.Offset, d.Detail))
	default:
		line(fmt.Sprintf("%s: refused by the rule %s: %s", d.File, d.Rule, d.Detail))
	}
	line("sha256 " + d.SHA256)
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	section := func(heading string, rows [][2]string) {
		if len(rows) > 0 {
			fmt.Fprintf(w, "\n%s\n", heading)
		}
		for _, r := range rows {
			fmt.Fprintf(w, "  %s\t%s\n", readapi.EscapeLine(r[0]), r[1])
		}
	}
	sizes, imports, exports, customs := d.rows()
	if d.Verdict == refused && len(imports)+len(exports) > 0 {
		fmt.Fprint(w, "\nread before it was refused:\n")
	}
	section("sizes", sizes)
	section("imports", imports)
	section("exports", exports)
	section("custom sections, of which nothing runs", customs)
	_ = w.Flush() // output remembers a failed write
}

// rows are the tables of what the module is made of, as people are shown them.
func (d *checkDocument) rows() (sizes, imports, exports, customs [][2]string) {
	for _, row := range sizeOrder {
		if n, ok := d.Sizes[row[0]]; ok && (n > 0 || d.Verdict == accepted) {
			sizes = append(sizes, [2]string{row[1], strconv.Itoa(n)})
		}
	}
	for _, i := range d.Imports {
		imports = append(imports, [2]string{i.Module + "." + i.Name, i.Type})
	}
	for _, e := range d.Exports {
		exports = append(exports, [2]string{e.Name, strings.TrimSuffix(e.Kind+" "+e.Type, " ")})
	}
	for _, c := range d.Customs {
		customs = append(customs, [2]string{c.Name, strconv.Itoa(c.Bytes) + " bytes"})
	}
	return sizes, imports, exports, customs
}
