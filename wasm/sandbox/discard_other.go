//go:build unix && !linux

package sandbox

const mapNoReserve = 0

func adviseHuge([]byte) {}

func discard([]byte) bool { return false }
