package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
)

const (
	dryParameter = "dry_run"
	dryHeader    = "Dry-Run"
)

// DryRun honours dry_run=true on everything that changes something (ours): all is checked
// and worked out and the answer is the one that would be given, but nothing is kept. It
// stands before Idempotent, because a trial is neither recorded nor answered from a record.
func DryRun(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if reads(r.Method) || r.URL.RawQuery == "" {
			return next(c)
		}
		dry, err := readDry(r.URL.Query()[dryParameter])
		switch {
		case err != nil:
			return err
		case !dry:
			return next(c)
		}
		c.Response().Header().Set(dryHeader, "true")
		c.SetRequest(r.WithContext(dryrun.With(r.Context())))
		return next(c)
	}
}

// reads tells whether a method changes nothing anyway.
func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// readDry: who says it twice and once means it gets the trial, which does no harm.
func readDry(values []string) (dry bool, err error) {
	for _, text := range values {
		switch strings.ToLower(text) {
		case "true", "1":
			dry = true
		case "false", "0", "":
		default:
			return false, fault.At(dryParameter, "invalid", "%q is not a valid boolean. Use true or false.", text)
		}
	}
	return dry, nil
}

// NeverDry refuses a trial where trying and doing are the same.
func NeverDry(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if dryrun.Is(c.Request().Context()) {
			return fault.At(dryParameter, "invalid", "This request has no dry run.")
		}
		return next(c)
	}
}
