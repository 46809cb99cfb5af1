package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// resources are the CMaps that are kept, by collection: those of ISO 32000-1, table 118, those of ISO 32000-2, and others of Adobe's that
// cost little beside them. The first of each takes UTF-16 to identifiers and the last takes identifiers to Unicode.
var resources = []struct{ collection, names string }{
	{"Adobe-GB1", "UniGB-UTF16-H UniGB-UTF16-V UniGB-UCS2-H UniGB-UCS2-V GBK-EUC-H GBK-EUC-V GBKp-EUC-H GBKp-EUC-V GBK2K-H GBK2K-V " +
		"GB-EUC-H GB-EUC-V GBpc-EUC-H GBpc-EUC-V GB-H GB-V GBT-EUC-H GBT-EUC-V GBT-H GBT-V GBTpc-EUC-H GBTpc-EUC-V Adobe-GB1-UCS2"},
	{"Adobe-CNS1", "UniCNS-UTF16-H UniCNS-UTF16-V UniCNS-UCS2-H UniCNS-UCS2-V B5pc-H B5pc-V ETen-B5-H ETen-B5-V ETenms-B5-H ETenms-B5-V " +
		"HKscs-B5-H HKscs-B5-V ETHK-B5-H ETHK-B5-V CNS-EUC-H CNS-EUC-V B5-H B5-V CNS1-H CNS1-V CNS2-H CNS2-V Adobe-CNS1-UCS2"},
	{"Adobe-Japan1", "UniJIS-UTF16-H UniJIS-UTF16-V UniJIS2004-UTF16-H UniJIS2004-UTF16-V UniJIS-UCS2-H UniJIS-UCS2-V UniJIS-UCS2-HW-H " +
		"UniJIS-UCS2-HW-V UniJISPro-UCS2-V UniJISPro-UCS2-HW-V H V EUC-H EUC-V RKSJ-H RKSJ-V 90ms-RKSJ-H 90ms-RKSJ-V 90msp-RKSJ-H " +
		"90msp-RKSJ-V 83pv-RKSJ-H 90pv-RKSJ-H 90pv-RKSJ-V Add-H Add-V Add-RKSJ-H Add-RKSJ-V Ext-H Ext-V Ext-RKSJ-H Ext-RKSJ-V " +
		"78-H 78-V 78-EUC-H 78-EUC-V 78-RKSJ-H 78-RKSJ-V 78ms-RKSJ-H 78ms-RKSJ-V NWP-H NWP-V Adobe-Japan1-UCS2"},
	{"Adobe-Korea1", "UniKS-UTF16-H UniKS-UTF16-V UniKS-UCS2-H UniKS-UCS2-V KSCms-UHC-H KSCms-UHC-V KSCms-UHC-HW-H KSCms-UHC-HW-V " +
		"KSC-EUC-H KSC-EUC-V KSCpc-EUC-H KSCpc-EUC-V KSC-H KSC-V KSC-Johab-H KSC-Johab-V Adobe-Korea1-UCS2"},
	{"Adobe-KR", "UniAKR-UTF16-H Adobe-KR-UCS2"},
}

// collect writes the archive that Tables reads, without comments and empty lines.
func collect(archive, from string) error {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, r := range resources {
		for name := range strings.FieldsSeq(r.names) {
			data, err := os.ReadFile(filepath.Join(from, r.collection, name))
			if err != nil {
				return err
			}
			w, err := z.Create(r.collection + "/" + name)
			if err != nil {
				return err
			}
			if err := strip(w, data); err != nil {
				return err
			}
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, b.Bytes(), 0o644)
}

func strip(w io.Writer, data []byte) error {
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "%") {
			continue
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// resource is one CMap as it stands in its file, with what it uses added.
type resource struct {
	name, collection string
	vertical         bool
	spaces           []space
	cids             map[uint32]uint32
	sorted           []pair // the same, by code
	texts            map[uint32][]rune
}

type space struct{ n, lo, hi uint32 }

// read returns the resources of an archive in the order in which they are packed.
func read(archive string) (all []*resource, err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	byName := map[string]*resource{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		collection, name, _ := strings.Cut(f.Name, "/")
		c := &resource{name: name, collection: collection, cids: map[uint32]uint32{}, texts: map[uint32][]rune{}}
		if err := c.parse(strings.Fields(string(data)), byName); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		byName[name] = c
		all = append(all, c)
	}
	return all, nil
}
