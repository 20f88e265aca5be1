package redact

import (
	"context"
	"encoding"
	"log/slog"
)

// Handler takes the secrets out of every message and every attribute before
// next gets them.
func Handler(next slog.Handler) slog.Handler { return handler{next} }

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	message, _ := Text(r.Message)
	clean := slog.NewRecord(r.Time, r.Level, message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(cleanAttr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(cleanAttrs(attrs))}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name)}
}

func cleanAttrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = cleanAttr(a)
	}
	return clean
}

// cleanAttr is an attribute as it may be logged. A value of another type than
// slog's own stays as it is where its text holds no secret, so that handlers
// write it as they always do.
func cleanAttr(a slog.Attr) slog.Attr {
	a.Key, _ = Known(a.Key)
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindGroup:
		a.Value = slog.GroupValue(cleanAttrs(v.Group())...)
	case slog.KindString, slog.KindAny:
		a.Value = v
		if text, n := Text(written(v)); n > 0 {
			a.Value = slog.StringValue(text)
		}
	}
	return a
}

// written is a value as a text handler writes it.
func written(v slog.Value) string {
	switch x := v.Any().(type) {
	case []byte:
		return string(x)
	case encoding.TextMarshaler:
		if b, err := x.MarshalText(); err == nil {
			return string(b)
		}
	}
	return v.String()
}
