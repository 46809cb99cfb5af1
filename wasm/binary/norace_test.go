//go:build !race

package binary_test

const raceRoom = 0
