package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// version is set at link time by the Makefile; a build by "go install" has the module's own version.
var version string

// versionDocument is what version prints as JSON.
type versionDocument struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, where the build knows it
	ABI      int    `json:"abi"`                // of the wall, that decoders are built for
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func thisVersion() versionDocument {
	v := versionDocument{Version: version, ABI: abi.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v.Revision = s.Value
			}
		}
		if v.Version == "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
	}
	if v.Version == "" {
		v.Version = "devel"
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Say which version this is",
		Example:     "  glovebox version\n  glovebox version --json",
		Args:        exactly(0, "no argument"),
		Annotations: map[string]string{unconfigured: "true"},
		RunE: func(*cobra.Command, []string) error {
			v := thisVersion()
			if a.global.json {
				return a.printDone(v)
			}
			fmt.Fprintf(a.out, "glovebox %s (ABI %d, %s, %s/%s)\n", v.Version, v.ABI, v.Go, v.OS, v.Arch)
			return nil
		},
	}
}
