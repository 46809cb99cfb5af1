package main

import (
	"fmt"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// mostIncidents is how many wait to be written; more are dropped, for a terminal that nobody reads must not hold up reads.
const mostIncidents = 64

// incidents tells people, on standard error, what a command that runs for long takes out of service. end ends it, without waiting for a
// standard error that is stuck.
func (a *app) incidents() (report func(plugins.Incident), end func()) {
	lines := make(chan string, mostIncidents)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case line := <-lines:
				fmt.Fprintln(a.err, line)
			case <-done:
				return
			}
		}
	}()
	report = func(i plugins.Incident) {
		line := fmt.Sprintf("glovebox: decoder %s (%s): %s", i.Decoder.Name, i.Kind, i.Detail)
		if i.SHA256 != "" {
			line += " File: sha256:" + i.SHA256
		}
		select {
		case lines <- readapi.EscapeLine(line):
		default:
		}
	}
	return report, func() { close(done) }
}
