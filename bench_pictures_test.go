//go:build unix

package glovebox_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	decoder "github.com/glovebox-wasm/glovebox/decoders/image"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Pictures of six megapixels, as phones make them, to 1,568 pixels: as a function of this program, and behind the wall, in turn. Printed are
// the processor's times for both and their ratio, the fuel, and the guest's memory at its largest for one of twelve megapixels. With
// GLOVEBOX_SHARP, a folder in which npm has installed sharp, libvips does the same on one thread in the same run, the picture is also read as
// progressive JPEG and as WebP with and without loss, and the ratio to libvips is printed as well.
func BenchmarkPictures(b *testing.B) {
	reg := newRegistry(b, plugins.Options{MaxInstances: 1})
	sharp := os.Getenv("GLOVEBOX_SHARP")
	large := pictures(b, sharp, 4000, 3000)
	for i, f := range pictures(b, sharp, 3000, 2000) {
		b.Run(f.name, func(b *testing.B) {
			var native, walled []time.Duration
			var fuel int64
			pair := func() {
				native = append(native, processTook(b, func() {
					if _, err := pdk.Run(&decoder.Decoder, bytes.NewReader(f.data), request(f)); err != nil {
						b.Fatal(err)
					}
				}))
				walled = append(walled, processTook(b, func() { _, fuel = decode(b, reg, f) }))
			}
			pair() // heaps grow
			native, walled = nil, nil
			for b.Loop() {
				pair()
			}
			for len(walled) < 5 { // fewer say nothing
				pair()
			}
			in, out := quartile(native), quartile(walled)
			b.ReportMetric(float64(in.Microseconds())/1000, "ms-native")
			b.ReportMetric(float64(out.Microseconds())/1000, "ms-wall")
			b.ReportMetric(float64(out)/float64(in), "x-native")
			b.ReportMetric(float64(fuel)/1e6, "M-fuel")
			b.ReportMetric(guestMemory(b, reg, large[i]), "MiB-of-12MP")
			if sharp != "" {
				v := vipsTook(b, sharp, f)
				b.ReportMetric(float64(v.Microseconds())/1000, "ms-libvips")
				b.ReportMetric(float64(out)/float64(v), "x-libvips")
			}
		})
	}
}

func processTook(b testing.TB, do func()) time.Duration {
	start := processTime(b)
	do()
	return processTime(b) - start
}

// guestMemory is how many MiB the guest has when it reads f.
func guestMemory(b testing.TB, reg *plugins.Registry, f sampleFile) float64 {
	res, err := reg.Decode(b.Context(), reg.Accepts(f.mediaType)[0], readapi.Decoding{Input: bytes.NewReader(f.data), Request: request(f), Limits: readapi.DefaultLimits()})
	if err != nil {
		b.Fatal(err)
	}
	return float64(res.Usage.MemoryBytes) / (1 << 20)
}

// pictures returns the scene, w by h, as every kind of file that can be had.
func pictures(b testing.TB, sharp string, w, h int) []sampleFile {
	m := scene(w, h)
	var j, p bytes.Buffer
	if err := jpeg.Encode(&j, m, &jpeg.Options{Quality: 90}); err != nil {
		b.Fatal(err)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&p, m); err != nil {
		b.Fatal(err)
	}
	files := []sampleFile{{"jpeg", "image/jpeg", j.Bytes()}, {"png", "image/png", p.Bytes()}}
	if sharp == "" {
		return files
	}
	dir := b.TempDir()
	in, out := filepath.Join(dir, "scene.png"), filepath.Join(dir, "scene")
	if err := os.WriteFile(in, p.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, k := range []struct {
		name, how string
		mediaType readapi.MediaType
	}{
		{"progressive", "jpeg({quality: 90, progressive: true})", "image/jpeg"},
		{"webp", "webp({quality: 80})", "image/webp"},
		{"webp-lossless", "webp({lossless: true})", "image/webp"},
	} {
		node(b, sharp, "await sharp(process.argv[1])."+k.how+".toFile(process.argv[2])", in, out)
		data, err := os.ReadFile(out)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, sampleFile{k.name, k.mediaType, data})
	}
	return files
}

// vipsTook is the processor's time for the same by libvips: the best of several runs.
func vipsTook(b testing.TB, sharp string, f sampleFile) (best time.Duration) {
	path := filepath.Join(b.TempDir(), f.name)
	if err := os.WriteFile(path, f.data, 0o600); err != nil {
		b.Fatal(err)
	}
	out := node(b, sharp, `
		sharp.concurrency(1); sharp.cache(false);
		const buf = require('fs').readFileSync(process.argv[1]), took = [];
		for (let i = 0; i < 12; i++) {
			const start = process.cpuUsage();
			await sharp(buf).resize(1568, 1568, {fit: 'inside'}).jpeg({quality: 85}).toBuffer();
			took.push(process.cpuUsage(start).user);
		}
		console.log(JSON.stringify(took.sort((a, b) => a - b)))`, path)
	var took []int64
	if err := json.Unmarshal(out, &took); err != nil || len(took) < 4 {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Duration(took[len(took)/4]) * time.Microsecond
}

// node runs the body of an asynchronous function that has sharp at hand, and returns what it prints.
func node(b testing.TB, sharp, body string, args ...string) []byte {
	b.Helper()
	script := "const sharp = require('sharp'); (async () => {" + body + "})().catch(e => { console.error(e); process.exit(1) })"
	cmd := exec.Command("node", append([]string{"-e", script, "--"}, args...)...)
	cmd.Dir = sharp
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("node in %s: %v", sharp, err)
	}
	return out
}

// scene has what a photo has: soft shades, detail at every size and the grain of a sensor. It is the same each time.
func scene(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	lattice := func(x, y, seed int) int { // a value from 0 to 255 for each place
		v := uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77 ^ uint32(seed)*0xc2b2ae3d
		v = (v ^ v>>15) * 0x2c1b3c6d
		v = (v ^ v>>12) * 0x297a2d39
		return int((v ^ v>>15) & 255)
	}
	smooth := func(x, y, side, seed int) int { // between four of them, on straight lines
		i, j, fx, fy := x/side, y/side, x%side, y%side
		top := lattice(i, j, seed)*(side-fx) + lattice(i+1, j, seed)*fx
		low := lattice(i, j+1, seed)*(side-fx) + lattice(i+1, j+1, seed)*fx
		return (top*(side-fy) + low*fy) / (side * side)
	}
	for y := range h {
		for x := range w {
			light := smooth(x, y, 400, 1)*5/10 + smooth(x, y, 90, 2)*3/10 + smooth(x, y, 21, 3)*2/10 + smooth(x, y, 5, 4)/10 + lattice(x, y, 5)/20
			hue := smooth(x, y, 300, 6) - 128
			tint := smooth(x, y, 150, 7) - 128
			i := m.PixOffset(x, y)
			for c, v := range [3]int{light + hue/3, light - tint/6, light - hue/4 + tint/4} {
				m.Pix[i+c] = uint8(max(0, min(255, v)))
			}
			m.Pix[i+3] = 0xff
		}
	}
	return m
}
