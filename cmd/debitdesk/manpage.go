package main

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// manCmd and completionCmd are for packagers: what they print comes from the commands themselves.
type manCmd struct{}

func (manCmd) run(_ context.Context, _ Config, io streams) error {
	model, err := commandModel()
	if err != nil {
		return err
	}
	return manPage(io.out, model)
}

// program describes the whole in one sentence.
const program = "Debit orders for South African merchants."

// commandModel is the tree of commands as kong reads it.
func commandModel() (*kong.Application, error) {
	parser, err := kong.New(&commands{}, kong.Name("debitdesk"), kong.Description(program))
	if err != nil {
		return nil, err
	}
	return parser.Model, nil
}

// roffReplacer writes text so that troff takes none of it for a request of its own.
var roffReplacer = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "→", `\(->`, "…", "...")

func roff(text string) string {
	text = roffReplacer.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// manPage writes the manual page debitdesk(1).
func manPage(to io.Writer, model *kong.Application) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.TH DEBITDESK 1 "" "debitdesk %s" "Debitdesk"`, roff(version()))
	line(".SH NAME\ndebitdesk \\- %s", roff(strings.ToLower(program[:1])+strings.TrimSuffix(program[1:], ".")))
	line(".SH SYNOPSIS\n.B debitdesk\n.I command\n[\\fIargument\\fR ...] [\\fIoption\\fR ...]")
	line(".SH DESCRIPTION\nDebitdesk is one program: the server, its background work and the commands beside it.")
	line("Settings come from the environment. The manual is part of the program: a server shows it at /manual.")
	line(".SH COMMANDS")
	for _, leaf := range model.Leaves(true) {
		manCommand(line, leaf)
	}
	line(".SH ENVIRONMENT")
	line("What each variable means is in the chapter \\(lqConfiguration\\(rq of the manual.")
	for _, v := range variablesOf(reflect.TypeFor[Config](), "") {
		line(".TP\n.B %s", roff(v.name))
		if usual := v.field.Tag.Get("envDefault"); usual != "" {
			line("Default: %s", roff(usual))
		} else {
			line("No default.")
		}
	}
	line(".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nFailed.\n.TP\n2\nWrong usage.")
	_, err := io.WriteString(to, b.String())
	return err
}

func manCommand(line func(string, ...any), leaf *kong.Node) {
	line(".SS %s", roff("debitdesk "+leaf.Path()))
	line("%s", roff(leaf.Help))
	for _, arg := range leaf.Positional {
		line(".TP\n.I %s", roff(arg.Summary()))
		line("%s", roff(arg.Help))
	}
	for _, f := range ownFlags(leaf) {
		line(".TP\n.B %s", roff(flagWords(f)))
		line("%s", roff(f.Help))
	}
}

// ownFlags are the flags of a command without --help, which each has.
func ownFlags(leaf *kong.Node) (own []*kong.Flag) {
	for _, group := range leaf.AllFlags(true) {
		for _, f := range group {
			if f.Name != "help" {
				own = append(own, f)
			}
		}
	}
	return own
}

func flagWords(f *kong.Flag) string {
	if f.IsBool() {
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + f.FormatPlaceHolder()
}
