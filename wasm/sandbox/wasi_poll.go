package sandbox

import "encoding/binary"

// Layout of subscriptions and events, preview 1.
const (
	subscriptionBytes = 48
	eventBytes        = 32
	maxSubscriptions  = 1024

	eventClock = 0
	eventWrite = 2

	clockAbsolute = 1 // flag of a clock subscription
)

type subscription struct {
	userdata uint64
	kind     byte
	due      uint64 // of a clock, on the monotonic clock
	fd       uint32 // of the others
	bad      bool   // a clock that there is not
}

// pollOneoff waits on the virtual clock: when nothing is ready it moves the clock to the first timeout, at once. Standard output is always
// ready; other descriptors do not exist.
func pollOneoff(c *call, st []uint64) uint64 {
	n := uint32(st[2])
	if n == 0 || n > maxSubscriptions {
		return wasiInval
	}
	raw, ok := c.memory(uint32(st[0]), n*subscriptionBytes)
	if !ok {
		return wasiFault
	}
	out, ok := c.memory(uint32(st[1]), n*eventBytes)
	if !ok {
		return wasiFault
	}
	c.chargeBytes(int64(n)*(subscriptionBytes+eventBytes), copyPerKiB)
	subs := make([]subscription, n)
	for i := range subs {
		subs[i] = c.subscription(raw[i*subscriptionBytes:])
	}
	c.passTime(subs)
	var events []byte
	for _, s := range subs {
		if s.kind != eventClock || s.bad || s.due <= c.inst.clock {
			events = appendEvent(events, s)
		}
	}
	copy(out, events)
	return c.put(uint32(st[3]), binary.LittleEndian.AppendUint32(nil, uint32(len(events)/eventBytes)), wasiOK)
}

func (c *call) subscription(b []byte) subscription {
	s := subscription{userdata: binary.LittleEndian.Uint64(b), kind: b[8]}
	id := binary.LittleEndian.Uint32(b[16:])
	if s.kind != eventClock {
		s.fd = id
		return s
	}
	s.bad = id > lastClockID
	due, base := binary.LittleEndian.Uint64(b[24:]), clockOffset(id)
	switch absolute := binary.LittleEndian.Uint16(b[40:])&clockAbsolute != 0; {
	case !absolute:
		due = c.inst.clock + min(due, clockEnd)
	case due > base:
		due -= base
	default:
		due = 0
	}
	s.due = min(due, clockEnd)
	return s
}

// passTime moves the clock to the first timeout if nothing is ready before it.
func (c *call) passTime(subs []subscription) {
	first := clockEnd
	for _, s := range subs {
		if s.kind != eventClock || s.bad {
			return
		}
		first = min(first, s.due)
	}
	c.inst.clock = max(c.inst.clock, first)
}

func appendEvent(events []byte, s subscription) []byte {
	var e [eventBytes]byte
	binary.LittleEndian.PutUint64(e[:], s.userdata)
	errno := uint16(wasiOK)
	switch {
	case s.kind == eventClock && s.bad:
		errno = wasiInval
	case s.kind == eventWrite && (s.fd == 1 || s.fd == 2):
		binary.LittleEndian.PutUint64(e[16:], maxLogLine) // room for so many bytes
	case s.kind != eventClock:
		errno = wasiBadf
	}
	binary.LittleEndian.PutUint16(e[8:], errno)
	e[10] = s.kind
	return append(events, e[:]...)
}
