package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"debitdesk/models/database"
)

// errorLog logs a failed job, once, with what finds it again.
type errorLog struct{ log *slog.Logger }

// HandleError implements river.ErrorHandler.
func (l *errorLog) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	if database.Cancelled(ctx, err) { // the process stops; the work comes round again
		return nil
	}
	l.log.ErrorContext(ctx, "job failed", "job_id", job.ID, "job_kind", job.Kind, "error", err)
	return nil
}

// HandlePanic implements river.ErrorHandler.
func (l *errorLog) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicked any,
	trace string) *river.ErrorHandlerResult {
	l.log.ErrorContext(ctx, "job panicked", "job_id", job.ID, "job_kind", job.Kind, "error", fmt.Sprint(panicked), "trace",
		trace)
	return nil
}

// quiet drops the queue's own notes below a warning, for it notes each failed job
// too, which errorLog has logged already; and what it says about its own stopping.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (w warnings) Handle(ctx context.Context, r slog.Record) error {
	stopping := false
	r.Attrs(func(a slog.Attr) bool {
		stopping = strings.HasSuffix(a.Value.String(), context.Canceled.Error())
		return !stopping
	})
	if stopping {
		return nil
	}
	return w.Handler.Handle(ctx, r)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
