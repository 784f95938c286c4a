package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completionCmd) run(_ context.Context, _ Config, io streams) error {
	model, err := commandModel()
	if err != nil {
		return err
	}
	return completion(io.out, model, c.Shell)
}

// completion writes what a shell reads to complete commands and flags; files complete where there is neither.
func completion(to io.Writer, model *kong.Application, shell string) error {
	words := choices(model)
	var err error
	switch shell {
	case "fish":
		err = fishCompletion(to, words)
	case "zsh":
		_, err = fmt.Fprintf(to, "#compdef debitdesk\nautoload -U +X bashcompinit && bashcompinit\n%s",
			bashCompletion(words))
	default:
		_, err = io.WriteString(to, bashCompletion(words))
	}
	return err
}

// choice is what may follow after some words: sub-commands, or the flags of a command.
type choice struct {
	after string // words of the command so far, without debitdesk
	names []string
}

func choices(model *kong.Application) (all []choice) {
	var walk func(n *kong.Node, after []string)
	walk = func(n *kong.Node, after []string) {
		one := choice{after: strings.Join(after, " ")}
		for _, child := range n.Children {
			if child.Type == kong.CommandNode && !child.Hidden {
				one.names = append(one.names, child.Name)
				walk(child, append(slices.Clone(after), child.Name))
			}
		}
		if n.Leaf() {
			for _, f := range ownFlags(n) {
				one.names = append(one.names, "--"+f.Name)
			}
		}
		all = append(all, choice{one.after, append(one.names, "--help")})
	}
	walk(model.Node, nil)
	slices.SortFunc(all, func(a, b choice) int { return strings.Compare(a.after, b.after) })
	return all
}

// bashCompletion tries the longest command that was typed so far.
func bashCompletion(all []choice) string {
	var b strings.Builder
	b.WriteString(`_debitdesk() {
	local word path="" found="" i
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in -*) break ;; esac
		case "${path:+$path }$word" in
`)
	for _, one := range all {
		if one.after != "" {
			fmt.Fprintf(&b, "\t\t%q) ;;\n", one.after)
		}
	}
	b.WriteString("\t\t*) break ;;\n\t\tesac\n\t\tpath=\"${path:+$path }$word\"\n\tdone\n\tcase \"$path\" in\n")
	for _, one := range all {
		fmt.Fprintf(&b, "\t%q) found=%q ;;\n", one.after, strings.Join(one.names, " "))
	}
	b.WriteString(`	esac
	COMPREPLY=()
	while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _debitdesk debitdesk
`)
	return b.String()
}

func fishCompletion(to io.Writer, all []choice) error {
	var b strings.Builder
	b.WriteString(`function __debitdesk_at
	set -l words
	for word in (commandline -opc)[2..]
		string match -q -- '-*' $word; and break
		set -a words $word
	end
	test "$words" = "$argv"
end
`)
	for _, one := range all {
		for _, name := range one.names {
			if flag, is := strings.CutPrefix(name, "--"); is {
				fmt.Fprintf(&b, "complete -c debitdesk -n '__debitdesk_at %s' -l %s\n", one.after, flag)
			} else {
				fmt.Fprintf(&b, "complete -c debitdesk -f -n '__debitdesk_at %s' -a %s\n", one.after, name)
			}
		}
	}
	_, err := io.WriteString(to, b.String())
	return err
}
