package transfer

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// many makes sessions with ten files of 1 KiB and ten events each, in a data directory.
func many(b *testing.B, sessions int) Store {
	s := onDisk(b, b.TempDir())
	for i := range sessions {
		scope := scopeOf(fmt.Sprint("s", i))
		h := store.Session{Principal: scope.Principal, ID: scope.Session, Messages: 10, Created: at(0), Updated: at(9)}
		var rows []store.Artifact
		var events []store.Event
		for j := range 10 {
			content := bytes.Repeat(fmt.Appendf(nil, "%8d%8d", i, j), 64)
			blob := store.Blob{SHA256: digest(content), Size: 1024}
			check(b, put(b.Context(), s.Blobs, blob, bytes.NewReader(content)))
			rows = append(rows, store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("%032x", i*10+j)), Seq: int64(j), Version: 1, Blob: blob.SHA256, Bytes: 1024,
				Name: fmt.Sprint(j, ".txt"), Kind: "text", Source: store.SourceUserUpload, Status: readapi.StatusLive, MediaType: "text/plain", Created: at(int64(j))})
			events = append(events, store.Event{ID: fmt.Sprintf("%032x", j), Seq: int64(j), Type: "user", Time: at(int64(j)), Message: true,
				Payload: fmt.Appendf(nil, `{"text":%q}`, bytes.Repeat([]byte("word "), 60))})
		}
		check(b, s.Index.Load(b.Context(), h, rows, events, nil))
	}
	return s
}

const benchSessions = 300

func perFile(b *testing.B) {
	b.ReportMetric(float64(b.N)*benchSessions*10/b.Elapsed().Seconds(), "files/s")
}

// BenchmarkBackup makes new backups: every file is written and synced.
func BenchmarkBackup(b *testing.B) {
	s, dir := many(b, benchSessions), b.TempDir()
	for n := 0; b.Loop(); n++ {
		_, err := Backup(b.Context(), s, filepath.Join(dir, fmt.Sprint(n)), BackupOptions{})
		check(b, err)
	}
	perFile(b)
}

// BenchmarkBackupAgain makes a backup into one that has all the files: what a daily backup costs.
func BenchmarkBackupAgain(b *testing.B) {
	s, dir := many(b, benchSessions), filepath.Join(b.TempDir(), "b")
	_, err := Backup(b.Context(), s, dir, BackupOptions{})
	check(b, err)
	for b.Loop() {
		_, err := Backup(b.Context(), s, dir, BackupOptions{})
		check(b, err)
	}
	perFile(b)
}

// BenchmarkMigrate goes from a data directory to PostgreSQL and a bucket, both on this machine.
func BenchmarkMigrate(b *testing.B) {
	s := many(b, benchSessions)
	for b.Loop() {
		blobs, index := manyHosts(b)
		_, err := Migrate(b.Context(), s, over(b, blobs, index), MigrateOptions{})
		check(b, err)
	}
	perFile(b)
}

func BenchmarkExport(b *testing.B) {
	s := many(b, benchSessions)
	for b.Loop() {
		_, err := Export(b.Context(), s.Blobs, s.Index, io.Discard, ExportOptions{})
		check(b, err)
	}
	perFile(b)
}

func BenchmarkImport(b *testing.B) {
	s := many(b, benchSessions)
	text := exported(b, s, ExportOptions{})
	for b.Loop() {
		_, err := Import(b.Context(), s.Blobs, onDisk(b, b.TempDir()).Index, bytes.NewReader(text), ImportOptions{})
		check(b, err)
	}
	perFile(b)
}
