package serve

import (
	"context"
	"log/slog"

	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
)

// logger sends records to the parent, which caps and escapes them. Attributes of With are the parent's to know.
type logger struct{ conn *wire.Conn }

const maxAttr = 4 << 10

// Enabled implements slog.Handler: the parent decides.
func (*logger) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l *logger) Handle(_ context.Context, r slog.Record) error {
	line := wire.Line{Level: r.Level, Message: r.Message, Attrs: map[string]string{}}
	r.Attrs(func(a slog.Attr) bool {
		v := a.Value.String()
		line.Attrs[a.Key] = v[:min(len(v), maxAttr)]
		return len(line.Attrs) < 4
	})
	return l.conn.SendJSON(wire.Log, line)
}

// WithAttrs implements slog.Handler.
func (l *logger) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements slog.Handler.
func (l *logger) WithGroup(string) slog.Handler { return l }
