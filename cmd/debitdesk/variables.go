package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"debitdesk/models/fault"
)

// beside are variables that other parts read: the programs of PostgreSQL, and the walk through the API in the manual.
var beside = []string{"DEBITDESK_POSTGRES_BIN", "DEBITDESK_TOKEN"}

// ours are variables of tests and pictures.
var ours = []string{"DEBITDESK_TEST_", "DEBITDESK_SCREENSHOTS"}

// variable is one setting of the environment: the field of Config that holds it, and its name.
type variable struct {
	field reflect.StructField
	name  string
}

// variablesOf lists the settings of a struct, with those of the structs in it.
func variablesOf(t reflect.Type, prefix string) (all []variable) {
	for f := range slices.Values(reflect.VisibleFields(t)) {
		if inner := f.Tag.Get("envPrefix"); inner != "" {
			all = append(all, variablesOf(f.Type, prefix+inner)...)
		} else if name := f.Tag.Get("env"); name != "" {
			all = append(all, variable{f, prefix + name})
		}
	}
	return all
}

// unread words what the environment library could not read: the variable, its value, and what it may be.
func unread(err error, instead map[string]string) error {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return fmt.Errorf("environment: %w", err)
	}
	var wrong []error
	for _, one := range all.Errors {
		var parse env.ParseError
		at := -1
		known := variablesOf(reflect.TypeFor[Config](), "")
		if errors.As(one, &parse) {
			at = slices.IndexFunc(known, func(v variable) bool {
				return v.field.Name == parse.Name && v.field.Type == parse.Type
			})
		}
		if at < 0 {
			wrong = append(wrong, fmt.Errorf("environment: %w", one))
			continue
		}
		value := os.Getenv(known[at].name)
		if instead != nil {
			value = instead[known[at].name]
		}
		wrong = append(wrong, fmt.Errorf("%s: %q is not %s", known[at].name, value, kindOf(parse.Type)))
	}
	return errors.Join(wrong...)
}

func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a time such as 30s or 5m"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number such as 0.1"
	}
	return "a whole number"
}

// strangers names the variables that look like settings of ours and are none: a slip of the pen, which would leave the
// setting as it is by default.
func strangers(environment []string) (said []string) {
	known := slices.Clone(beside)
	for _, v := range variablesOf(reflect.TypeFor[Config](), "") {
		known = append(known, v.name)
	}
	for _, one := range environment {
		name, _, _ := strings.Cut(one, "=")
		if !strings.HasPrefix(name, "DEBITDESK_") || slices.Contains(known, name) ||
			slices.ContainsFunc(ours, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			continue
		}
		said = append(said, name+" is not a setting and has no effect."+fault.DidYouMean(name, known))
	}
	slices.Sort(said)
	return said
}
