package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestSchemaStore holds the schemas of what keeps a store in order against all that can be printed of it.
func TestSchemaStore(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	refused := &readapi.Error{Op: "ledger.Import", Code: readapi.CodeInvalidRequest, Detail: "d", Hint: "h"}
	report := ledger.Report{Bytes: 1, Lines: 2, Appended: 3, Known: 4, Bad: 5, Errors: []ledger.BadLine{{Line: 1, Error: refused}}}
	moved := transfer.Report{
		Counts: transfer.Counts{Sessions: 1, Artifacts: 2, Uploads: 3, Events: 4, Blobs: 5, BlobBytes: 6, Present: 7, Verified: 8, Removed: 9}, Failed: 1,
		Problems: []transfer.Problem{{Code: readapi.CodeCorrupt, Detail: "d", Line: 3, Principal: "p", Session: "s", Artifact: "a", Blob: digest}},
	}
	one := retain.Amount{Files: 1, Bytes: 2}
	collected := &retain.GCReport{
		DryRun: true, Deleted: one, Purged: one, Ended: 1, Gone: 2, Orphans: one, Kept: 3, Failed: 4, Swept: 5, Cache: one, Omitted: 6, Took: 7e6,
		Candidates: []retain.Candidate{{
			Principal: "p", Session: "s", Artifact: "a", SHA256: digest, Bytes: 1, Age: 2e6, Rule: 1, Action: retain.ActionKeep, Reason: retain.ReasonFailed, Text: "t",
			Code: readapi.CodeCorrupt,
		}},
	}
	checked := fsckDocument{
		Sessions: 1, Artifacts: 2, Events: 3, Blobs: one, ReadBytes: 4, Found: map[retain.Problem]int{retain.BlobMissing: 1}, Omitted: 5, TookMS: 6,
		Findings: []retain.Finding{{
			Problem: retain.BlobMissing, Principal: "p", Session: "s", Artifact: "a", Event: "e", SHA256: digest, Text: "t", Repaired: true, Harmless: true,
		}},
	}
	for _, c := range []struct {
		schema string
		value  any
		fits   bool
	}{
		{"gc", gcDocumentOf(collected), true}, {"gc", gcDocumentOf(&retain.GCReport{}), true}, {"gc", collected, false},
		{"fsck", checked, true}, {"fsck", fsckDocument{Found: map[retain.Problem]int{}}, false},
		{"imported", importedDocument{"s", report}, true}, {"imported", importedDocument{"a b", report}, false},
		{"transferred", moved, true}, {"transferred", transfer.Report{}, true},
		{"copied", copiedDocument{"a", "b", 1, 2}, true}, {"copied", copiedDocument{}, false},
		{"state", stateDocument{"a", "purged"}, true}, {"state", stateDocument{"a", "purging"}, false},
		{"deleted", deletedDocument{"a", "purged"}, true},
	} {
		schema, err := loadSchema(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(schema, string(b)); (err == nil) != c.fits {
			t.Errorf("%s: %s: %v, want it to fit: %v", c.schema, b, err, c.fits)
		}
	}
}
