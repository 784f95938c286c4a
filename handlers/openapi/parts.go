package openapi

import (
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"debitdesk/models/collection"
	"debitdesk/models/mandate"
	"debitdesk/models/webhook"
)

// expand writes out what the source says once for several schemas: pairs merged with "<<", where a pair that follows
// takes the place of one with the same key, "required: all", which is every property, and an enum of words that the
// rules list. Keys that begin with x-parts hold such pairs and are left out.
func expand(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		if err := merge(n); err != nil {
			return err
		}
	}
	for _, part := range n.Content {
		if err := expand(part); err != nil {
			return err
		}
	}
	if all := get(n, "required"); all != nil && all.Value == "all" {
		all.Kind, all.Tag, all.Value, all.Content = yaml.SequenceNode, "!!seq", "", nil
		each(get(n, "properties"), func(name string, _ *yaml.Node) {
			all.Content = append(all.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name})
		})
	}
	if named := get(n, "enum"); named != nil && named.Kind == yaml.ScalarNode {
		return enumerate(named)
	}
	return nil
}

// listed are the words that the rules list, by the name that the source has for them.
var listed = map[string][]string{"webhook events": webhook.Names, "value types": texts(mandate.ValueTypes),
	"dispute reasons": append([]string{collection.BecauseEFT}, mandate.Reasons...)}

func texts[S ~string](list []S) (out []string) {
	for _, one := range list {
		out = append(out, string(one))
	}
	return out
}

// enumerate writes out a list by its name, such as "value types or null".
func enumerate(named *yaml.Node) error {
	name, null := strings.CutSuffix(named.Value, " or null")
	words, known := listed[name]
	if !known {
		return fmt.Errorf("line %d: no list is called %q", named.Line, name)
	}
	*named = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, word := range words {
		named.Content = append(named.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: word})
	}
	if null {
		named.Content = append(named.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"})
	}
	return nil
}

func merge(n *yaml.Node) error {
	var pairs []*yaml.Node
	add := func(key, value *yaml.Node) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i].Value == key.Value {
				pairs[i+1] = value
				return
			}
		}
		pairs = append(pairs, key, value)
	}
	for pair := range slices.Chunk(n.Content, 2) {
		key, value := pair[0], pair[1]
		switch {
		case strings.HasPrefix(key.Value, "x-parts"):
		case key.Value == "<<":
			parts := real(value)
			if parts.Kind != yaml.MappingNode {
				return fmt.Errorf("line %d: only pairs can be merged", key.Line)
			}
			if err := expand(parts); err != nil {
				return err
			}
			for part := range slices.Chunk(parts.Content, 2) {
				add(part[0], part[1])
			}
		default:
			add(key, value)
		}
	}
	n.Content = pairs
	return nil
}
