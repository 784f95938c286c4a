package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/rivertype"
	"github.com/riverqueue/rivercontrib/otelriver"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"debitdesk/models/outbound"
	"debitdesk/models/outbound/collector"
)

// traces tells whether a collector of OpenTelemetry is named. Without one nothing is traced.
func (c Config) traces() bool { return c.Collector != "" }

func (c Config) checkTraces(bad func(name, format string, args ...any)) {
	if !c.traces() {
		return
	}
	checkLink(bad, "OTEL_EXPORTER_OTLP_ENDPOINT", c.Collector, "http", "https")
	if _, err := collector.New("http://127.0.0.1", c.CollectorHeaders); err != nil {
		bad("OTEL_EXPORTER_OTLP_HEADERS", "is not name=value, divided by commas")
	}
	if c.TracedShare < 0 || c.TracedShare > 1 {
		bad("OTEL_TRACES_SAMPLER_ARG", "%g is not a share between 0 and 1", c.TracedShare)
	}
}

// flushTime is how long the last traces may take to the collector when the program stops.
const flushTime = 5 * time.Second

// watch has outbound connections leave lines in the log, and begins to hand traces to the collector. end hands over
// the last ones.
func watch(ctx context.Context, c Config, log *slog.Logger) (end func(), err error) {
	outbound.Log(log)
	if !c.traces() {
		return func() {}, nil
	}
	client, err := collector.New(c.Collector, c.CollectorHeaders)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	// What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say comes last and wins.
	of, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "debitdesk"),
		attribute.String("service.version", version()), attribute.String("deployment.environment.name", c.Mode)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(of), sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sdktrace.ParentBased(begun{sdktrace.TraceIDRatioBased(c.TracedShare)})))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces did not arrive", "error", err) }))
	otel.SetTextMapPropagator(propagation.TraceContext{})
	otel.SetTracerProvider(provider)
	log.Info("traces go to a collector", "share", c.TracedShare)
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces did not arrive", "error", err)
		}
	}, nil
}

// begun drops what begins with a question to another, such as to the database: nobody's request, job or sweep asked it,
// and there are several each second.
type begun struct{ sdktrace.Sampler }

// ShouldSample implements sdktrace.Sampler.
func (b begun) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if p.Kind == trace.SpanKindClient {
		return sdktrace.SamplingResult{Decision: sdktrace.Drop}
	}
	return b.Sampler.ShouldSample(p)
}

// statements traces what the database is asked: the text of a statement, never its values. Nil where nothing is traced.
func (c Config) statements() pgx.QueryTracer {
	if !c.traces() {
		return nil
	}
	return otelpgx.NewTracer(otelpgx.WithDisableConnectionDetailsInAttributes())
}

// workTraces trace the jobs of the queue; none where nothing is traced.
func (c Config) workTraces() []rivertype.Middleware {
	if !c.traces() {
		return nil
	}
	return []rivertype.Middleware{otelriver.NewMiddleware(&otelriver.MiddlewareConfig{EnableWorkSpanJobKindSuffix: true})}
}
