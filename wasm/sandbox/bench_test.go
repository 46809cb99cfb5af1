package sandbox

import (
	"testing"
)

func BenchmarkFreshTiny(b *testing.B) {
	p := program(b, Compiler, newGuest(i32(0)))
	for b.Loop() {
		i := instance(b, p)
		i.Close()
	}
}

func BenchmarkMemo(b *testing.B) {
	p := program(b, Compiler, memo())
	if err := p.Snapshot(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	i := instance(b, p)
	for b.Loop() {
		if _, err := i.Decode(b.Context(), &Call{Input: input("abc")}); err != nil {
			b.Fatal(err)
		}
		if err := i.Reset(); err != nil {
			b.Fatal(err)
		}
	}
}
