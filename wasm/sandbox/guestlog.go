package sandbox

import (
	"bytes"
	"log/slog"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// guestLog takes what a guest logs or prints, line by line, up to the call's limit. It goes to the host's log, escaped, and nowhere else.
type guestLog struct {
	out     *slog.Logger
	partial [2][]byte // lines of stdout and stderr that have not ended yet
}

// maxLogLine is where a line that does not end is cut.
const maxLogLine = 1 << 10

func guestLevel(level uint32) slog.Level {
	switch level {
	case 0:
		return slog.LevelDebug
	case 2:
		return slog.LevelWarn
	case 3:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// line logs one line. A line over maxLogLine is cut.
func (g *guestLog) line(c *call, level slog.Level, line []byte) {
	if len(line) > maxLogLine {
		c.usage.LogDropped += int64(len(line) - maxLogLine)
		line = line[:maxLogLine]
	}
	line = g.keep(c, line)
	if len(line) > 0 {
		g.write(c, level, line)
	}
}

// keep counts b and returns the part of it that the limit allows.
func (g *guestLog) keep(c *call, b []byte) []byte {
	room := max(0, c.limits.MaxLogBytes-c.usage.LogBytes)
	kept := min(int64(len(b)), room)
	c.usage.LogBytes += kept
	c.usage.LogDropped += int64(len(b)) - kept
	c.chargeBytes(kept, logPerKiB)
	return b[:kept]
}

// print takes what the guest writes to stdout (0) or stderr (1).
func (g *guestLog) print(c *call, stream int, b []byte) {
	b = g.keep(c, b)
	for len(b) > 0 {
		line, rest, ended := bytes.Cut(b, []byte{'\n'})
		if room := maxLogLine - len(g.partial[stream]); len(line) >= room {
			line, rest, ended = b[:room], b[room:], true
		}
		g.partial[stream] = append(g.partial[stream], line...)
		if ended {
			g.end(c, stream)
		}
		b = rest
	}
}

func (g *guestLog) end(c *call, stream int) {
	if p := g.partial[stream]; len(p) > 0 {
		g.write(c, slog.LevelInfo, p)
		g.partial[stream] = p[:0]
	}
}

// finish logs what is left and how much was dropped.
func (g *guestLog) finish(c *call) {
	g.end(c, 0)
	g.end(c, 1)
	if n := c.usage.LogDropped; n > 0 {
		g.out.LogAttrs(c.ctx, slog.LevelWarn, "guest log over its limit", slog.Int64("dropped_bytes", n))
	}
}

func (g *guestLog) write(c *call, level slog.Level, line []byte) {
	if g.out.Enabled(c.ctx, level) {
		g.out.LogAttrs(c.ctx, level, "guest", slog.String("line", readapi.EscapeLine(string(line))))
	}
}
