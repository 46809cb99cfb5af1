package fileblob

import "testing"

func TestTellsSince(t *testing.T) {
	for release, want := range map[string]bool{
		"5.8.0-1-amd64": true, "5.7.19": false, "4.19.0": false, "5.10-rc1": true, "6.1.0-13-cloud": true, "10.0": true, "5": false, "": false, "x.y": false,
	} {
		if got := tellsSince(release); got != want {
			t.Errorf("%s: %v", release, got)
		}
	}
}
