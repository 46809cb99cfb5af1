package mail

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

// TestPickStranger: under a label that nobody knows, a guess from the bytes is no more than that.
func TestPickStranger(t *testing.T) {
	german := []byte("Gr\xfc\xdfe aus M\xfcnchen, sch\xf6ne \xc4pfel und viele \xdcberraschungen f\xfcr die G\xe4ste der Stra\xdfe.")
	for label, doubtful := range map[string]bool{"ibm037": true, "x-ebcdic-de": true, "": false, "us-ascii": false, "iso-8859-1": false} {
		if c := pick(label, german); (c.Percent < charset.Doubtful) != doubtful {
			t.Errorf("under %q: %+v, doubtful %v", label, c, !doubtful)
		}
	}
	if c := pick("ibm037", []byte("Gr\u00fc\u00dfe")); c.Percent < charset.Doubtful {
		t.Errorf("UTF-8 under a strange label: %+v", c)
	}
}
