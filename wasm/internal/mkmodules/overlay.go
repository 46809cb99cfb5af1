package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// Package embed brings io/fs, time and what follows them into a guest, 0.25 MB that nobody calls. So a guest is built from sources in which
// each variable that go:embed fills has its content as a literal: an overlay (go help build), which leaves the sources as they are.

var (
	embedImport = regexp.MustCompile(`(?m)^(import )?\t?_ "embed"\n`)
	embedded    = regexp.MustCompile(`(?m)^\t?//go:embed (\S+)\n\t?(var )?(\w+) +(string|\[\]byte)\n`)
)

// overlay writes the overlay for a guest into dir and returns its file; "" when nothing is embedded.
func overlay(dir, guest string, env []string) (string, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,GoFiles,EmbedFiles,Standard", guest)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list %s: %w", guest, err)
	}
	replace := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var pkg struct {
			Dir                 string
			GoFiles, EmbedFiles []string
			Standard            bool
		}
		if err := d.Decode(&pkg); err != nil {
			return "", err
		}
		if pkg.Standard || len(pkg.EmbedFiles) == 0 {
			continue
		}
		for _, name := range pkg.GoFiles {
			if err := unembed(dir, filepath.Join(pkg.Dir, name), replace); err != nil {
				return "", err
			}
		}
	}
	if len(replace) == 0 {
		return "", nil
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, b, 0o644)
}

// unembed writes a copy of one source file with literals into dir, if it embeds anything.
func unembed(dir, source string, replace map[string]string) error {
	text, err := os.ReadFile(source)
	if err != nil || !embedImport.Match(text) {
		return err
	}
	text = embedImport.ReplaceAll(text, nil)
	text = embedded.ReplaceAllFunc(text, func(m []byte) []byte {
		part := embedded.FindSubmatch(m)
		data, rerr := os.ReadFile(filepath.Join(filepath.Dir(source), filepath.FromSlash(string(part[1]))))
		if rerr != nil {
			err = rerr
		}
		return fmt.Appendf(nil, "\n%s%s = %s(%s)\n", part[2], part[3], part[4], strconv.Quote(string(data)))
	})
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte("//go:embed")) {
		return fmt.Errorf("%s embeds in a form that is not known here", source)
	}
	to := filepath.Join(dir, strconv.Itoa(len(replace))+"_"+filepath.Base(source))
	replace[source] = to
	return os.WriteFile(to, text, 0o644)
}
