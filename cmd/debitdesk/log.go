package main

import (
	"io"
	"log/slog"
)

// serverLog writes structured lines; standard output stays free for results.
func serverLog(c Config, io streams) *slog.Logger {
	level, err := c.level()
	if err != nil {
		level = slog.LevelInfo
	}
	return newLog(c, io.err, level)
}

// commandLog is quiet about what goes well, unless asked for more.
func commandLog(c Config, io streams) *slog.Logger {
	level, err := c.level()
	if err != nil || level == slog.LevelInfo {
		level = slog.LevelWarn
	}
	return newLog(c, io.err, level)
}

func newLog(c Config, to io.Writer, level slog.Level) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(to, opts))
	}
	return slog.New(slog.NewTextHandler(to, opts))
}
