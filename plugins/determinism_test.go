package plugins_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// drawn is a script by chance: it looks at the clock and the random stream, works, grows, tampers, fails at times, and shows its memory.
func drawn(r *rand.Rand) []byte {
	s := script()
	const area = scratch + 1<<10
	show := func(n int32) { // what it shows is no text mostly; the frame goes out all the same, and ends the read
		s.Frame(text, abi.Part{At: 1}, "so far").Do(hostiletest.Emit, 77, area, n) // a kind of a later version: its bytes are anything
	}
	for range 1 + r.IntN(12) {
		at := area + r.Int32N(4<<10)
		switch r.IntN(16) {
		case 0:
			s.Do(hostiletest.Clock, r.Int32N(5), at)
		case 1:
			s.Do(hostiletest.Random, at, r.Int32N(200))
		case 2:
			s.Do(hostiletest.Poll, at, at+100, r.Int32N(3))
		case 3:
			s.Do(hostiletest.GrowBy, r.Int32N(50))
		case 4:
			s.Do(hostiletest.TableGrowBy, r.Int32N(50))
		case 5:
			s.Do(hostiletest.TableClear, r.Int32N(10)) // beyond the table at times
		case 6:
			s.Do(hostiletest.GlobalSet, r.Int32()).Do(hostiletest.GlobalTell, at)
		case 7:
			s.Do(hostiletest.TableTell, r.Int32N(8), at)
		case 8:
			s.Repeat(1+r.Int32N(20), hostiletest.Fill, at, r.Int32N(256), r.Int32N(2<<10))
		case 9:
			s.Repeat(1+r.Int32N(20), hostiletest.Copy, at, area, r.Int32N(2<<10))
		case 10:
			s.Do(hostiletest.TreeOf, r.Int32N(14))
		case 11:
			s.Do(hostiletest.DeepOf, r.Int32N(1600)) // too deep at times
		case 12:
			s.Do(hostiletest.DropData).Do(hostiletest.InitTable, r.Int32N(9))
		case 13:
			s.Do(hostiletest.Read, r.Int32N(400), at, r.Int32N(400))
		case 14:
			s.Say(r.Int32N(4), "a line", r.Int32N(20))
		case 15:
			if r.IntN(8) == 0 {
				s.Do(hostiletest.Trap)
			}
		}
	}
	show(4 << 10)
	return s.End()
}

// A read gives the same frames for the same fuel on both engines, on an instance that is new and on one that was put back, whatever it does.
func TestDeterminism(t *testing.T) {
	var told []plugins.Incident
	r := hostileRegistry(t, plugins.Options{Report: func(i plugins.Incident) { told = append(told, i) }})
	puppet := add(t, r, hostiletest.Decoder(t, hostileCache(), "puppet", hostiletest.Puppet()))
	memo := add(t, r, hostiletest.Decoder(t, hostileCache(), "memo", hostiletest.Memo()))
	n := 200
	if os.Getenv("GLOVEBOX_BARS") != "" {
		n = 1000
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	codes, most := map[readapi.Code]int{}, int64(0)
	for k := range n {
		info, in := puppet, drawn(rnd)
		if k%10 == 0 {
			info, in = memo, []byte(canary(k%50, k, k%20 == 0))
		}
		d := ask(in)
		d.Limits.Fuel = 20e6
		if err := r.Verify(t.Context(), info, d); err != nil {
			t.Fatalf("read %d: %v, %+v", k, err, told)
		}
		res, err := r.Decode(t.Context(), info, d)
		codes[readapi.CodeOf(err)]++
		most = max(most, res.Usage.Fuel)
	}
	t.Logf("%d reads, each four times: identical; they ended with %v, the largest used %d units of fuel", n, codes, most)
	if codes[""] < n/4 || codes[readapi.CodeTrap] == 0 || codes[readapi.CodeLimitDepth] == 0 {
		t.Errorf("the reads are not what they should be: %v", codes)
	}
}
