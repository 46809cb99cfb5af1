package store_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
)

// The test binary is the child where these are set: where the blobs are, and how large the file is.
const (
	largePlace = "GLOVEBOX_TEST_LARGE_PLACE"
	largeBytes = "GLOVEBOX_TEST_LARGE_BYTES"
)

// maxResident is the most memory that the whole process of a host may have needed.
const maxResident = 64 << 20

// TestLargeFile: a file of 1 GiB is stored, verified and read in 64 MiB of memory of the whole process, on disk and in a bucket.
func TestLargeFile(t *testing.T) {
	if place := os.Getenv(largePlace); place != "" {
		large(t, place)
		return
	}
	size := int64(48 << 20)
	if bars() {
		size = 1 << 30
	}
	for name, place := range map[string]string{"files": t.TempDir(), "bucket": s3test.URL(t)} {
		start := time.Now()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLargeFile$", "-test.v")
		cmd.Env = append(os.Environ(), largePlace+"="+place, largeBytes+"="+strconv.FormatInt(size, 10), "AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		_, rest, _ := strings.Cut(string(out), "resident: ")
		var resident int64
		if _, err := fmt.Sscan(rest, &resident); err != nil {
			t.Fatalf("%s: the child says nothing of its memory: %s", name, out)
		}
		t.Logf("bars: %s: %d MiB were stored and read twice in %d MiB of resident memory and %v", name, size>>20, resident>>20, time.Since(start).Round(time.Millisecond))
		if resident > maxResident*raceFactor {
			t.Errorf("%s: %d MiB of memory, want %d", name, resident>>20, maxResident*raceFactor>>20)
		}
	}
}

// large is the child.
func large(t *testing.T, place string) {
	size, err := strconv.ParseInt(os.Getenv(largeBytes), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	driver, err := openPlace(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	b := newBlobs(t, driver, nil)
	blob, _, err := b.Put(t.Context(), io.LimitReader(rand.NewChaCha8([32]byte{1}), size), store.PutOptions{Max: size, Prefix: 512})
	if err != nil || blob.Size != size {
		t.Fatal(blob, err)
	}
	o, err := b.Open(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, io.NewSectionReader(o, 0, o.Size())); n != size || err != nil {
		t.Fatal(n, err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	fmt.Println("resident:", kib<<10)
}

func openPlace(ctx context.Context, place string) (store.BlobDriver, error) {
	if strings.HasPrefix(place, "s3://") {
		return s3blob.Open(ctx, place, nil)
	}
	return fileblob.Open(place, nil)
}
