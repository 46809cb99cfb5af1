package transfer

import (
	"os"
	"path/filepath"
	"testing"
)

// A link that somebody has put where a backup writes its mark leads nowhere.
func TestBackupMarkLink(t *testing.T) {
	s, dir := some(t), t.TempDir()
	victim, work := filepath.Join(dir, "victim"), filepath.Join(dir, "b.partial")
	check(t, os.WriteFile(victim, []byte("mine"), 0o600))
	check(t, os.Mkdir(work, 0o700))
	check(t, writeMark(work, mark{Version: 1}))
	check(t, os.Symlink(victim, filepath.Join(work, markFile+".partial")))
	_, err := Backup(t.Context(), s, filepath.Join(dir, "b"), BackupOptions{})
	check(t, err)
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("a file outside of the backup is %q, %v", text, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "b", markFile)); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the mark is %v, %v", info, err)
	}
}
