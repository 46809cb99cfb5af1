//go:build race

package store_test

// raceFactor is how much more memory a process may take with the race detector, which shadows what it looks at.
const raceFactor = 4
