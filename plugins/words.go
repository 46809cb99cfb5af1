package plugins

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// speakable are the names of limits that a decoder which nobody vouches for may name in an error: those of a request, which it was told, and ours.
var speakable = []string{
	"max_output_bytes", "max_tokens", "max_bytes", "max_pixels", "max_side", "max_frames", "max_total_pixels", "max_edge", "fit_pixels", "max_image_bytes", "max_file_bytes", "units", "child",
}

// inert is a failure that a decoder reported, without words of the decoder's where it is foreign. A model reads an error outside the fence
// that is around a file's text, as the host's own word, so a stranger gets to choose a code there and nothing else. The log has the rest.
func (p *pool) inert(ctx context.Context, err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || !p.decoder.Foreign || e.Code == readapi.CodeBadOutput { // of which the words are ours: no decoder can say it
		return err
	}
	c := *e
	if c.Detail != "" {
		if log := p.opts.Logger; log != nil {
			log.LogAttrs(ctx, slog.LevelInfo, "a decoder failed", slog.String("module", p.decoder.Name),
				slog.String("code", string(c.Code)), slog.String("detail", readapi.EscapeLine(c.Detail)))
		}
		c.Detail = ""
	}
	if c.Limit != nil && !slices.Contains(speakable, c.Limit.Name) {
		c.Limit = nil
	}
	return &c
}
