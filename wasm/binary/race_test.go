//go:build race

package binary_test

// raceRoom is what the race detector needs of a child's address space for itself.
const raceRoom = 8 << 30
