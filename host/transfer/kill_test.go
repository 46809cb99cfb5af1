package transfer

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// killDir tells the test binary that it is the child, and where to work.
const killDir = "GLOVEBOX_TEST_TRANSFER_DIR"

// killedTTL is of the lease that a killed backup leaves.
const killedTTL = 300 * time.Millisecond

// TestKilledChild is the child: it makes backups and migrations until it is killed.
func TestKilledChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		return // TestKilled runs it, in a process of its own
	}
	src, dst := onDisk(t, filepath.Join(dir, "data")), onDisk(t, filepath.Join(dir, "moved"))
	fmt.Println("ready")
	for {
		_, err := Backup(t.Context(), src, filepath.Join(dir, "b"), BackupOptions{ttl: killedTTL})
		for ; readapi.CodeOf(err) == readapi.CodeBusy; _, err = Backup(t.Context(), src, filepath.Join(dir, "b"), BackupOptions{ttl: killedTTL}) {
			time.Sleep(killedTTL / 10) // the lease of the one before is not over
		}
		check(t, err)
		_, err = Migrate(t.Context(), src, dst, MigrateOptions{})
		check(t, err)
		fmt.Println("again")
	}
}

// TestKilled: a process is killed in the middle of backups and migrations, while the store grows from one kill to the next. What it leaves is
// whole, and the next one goes on with it.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src := onDisk(t, filepath.Join(dir, "data"))
	const kills = 10
	backups := 0
	for i := range kills {
		for j := range 20 {
			name := fmt.Sprintf("k%d-%d", i, j)
			attach(t, src, scopeOf(fmt.Sprint("s", j%7)), name, fmt.Appendf(nil, "content of %s", name), content(j))
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$", "-test.timeout=60s")
		cmd.Env = append(os.Environ(), killDir+"="+dir)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 1 + i%2 { // every other one has been through a whole round
			if !lines.Scan() || lines.Text() != "ready" && lines.Text() != "again" {
				t.Fatalf("the child: %q, %v, %s", lines.Text(), lines.Err(), said.String())
			}
		}
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) // wherever it is then
		check(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed
		opens(t, "what the migration has left", onDisk(t, filepath.Join(dir, "moved")))
		if _, err := os.Stat(filepath.Join(dir, "b")); err == nil {
			backups++
			got := inMemory(t)
			_, err := Restore(t.Context(), filepath.Join(dir, "b"), got, RestoreOptions{})
			check(t, err)
			whole(t, got)
		}
	}
	time.Sleep(2 * killedTTL) // the lease of the last one
	r, err := Backup(t.Context(), src, filepath.Join(dir, "b"), BackupOptions{})
	check(t, err)
	dst := onDisk(t, filepath.Join(dir, "moved"))
	_, err = Migrate(t.Context(), src, dst, MigrateOptions{})
	check(t, err)
	same(t, "moved", dst, src)
	b := onDisk(t, filepath.Join(dir, "b"))
	same(t, "the backup", b, src)
	whole(t, b)
	onlyNamed(t, b)
	if backups == 0 {
		t.Error("no backup was there behind any of the kills")
	}
	t.Logf("%d kills, a backup was there behind %d; the last run copied %d files and found %d", kills, backups, r.Blobs, r.Present)
}
