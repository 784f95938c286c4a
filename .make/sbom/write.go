package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string      `json:"timestamp"`
	Lifecycle []lifecycle `json:"lifecycles"`
	Component component   `json:"component"`
}

type lifecycle struct {
	Phase string `json:"phase"`
}

type component struct {
	Type       string      `json:"type"`
	Ref        string      `json:"bom-ref"`
	Name       string      `json:"name"`
	Version    string      `json:"version,omitempty"`
	Scope      string      `json:"scope,omitempty"`
	Hashes     []hash      `json:"hashes,omitempty"`
	Licenses   []licensing `json:"licenses,omitempty"`
	PURL       string      `json:"purl,omitempty"`
	References []reference `json:"externalReferences,omitempty"`
	Properties []property  `json:"properties,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type licensing struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type reference struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func writeBOM(to io.Writer, version string, at time.Time, parts []part) error {
	self := component{Type: "application", Ref: "debitdesk", Name: "debitdesk", Version: version,
		Licenses: []licensing{licensed("Apache-2.0")}}
	doc := bom{Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6",
		Version: 1, Metadata: metadata{Timestamp: at.Format(time.RFC3339), Lifecycle: []lifecycle{{"build"}},
			Component: self}}
	depends := dependency{Ref: self.Ref}
	for _, p := range parts {
		c := p.component()
		doc.Components = append(doc.Components, c)
		doc.Dependencies = append(doc.Dependencies, dependency{Ref: c.Ref})
		if p.scope == required {
			depends.DependsOn = append(depends.DependsOn, c.Ref)
		}
	}
	doc.Dependencies = append([]dependency{depends}, doc.Dependencies...)
	unnumbered, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	doc.Serial = serial(unnumbered)
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// serial names a document by its content, in the form of a UUID of version 8.
func serial(content []byte) string {
	s := sha256.Sum256(content)
	s[6], s[8] = s[6]&0x0f|0x80, s[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", s[:4], s[4:6], s[6:8], s[8:10], s[10:16])
}

func licensed(id string) (l licensing) {
	l.License.ID = id
	return l
}

func (p part) component() component {
	c := component{Type: p.kind, Ref: cmp.Or(p.purl, p.name), Name: p.name, Version: p.version, Scope: p.scope,
		PURL: p.purl, References: []reference{{"website", p.source}}}
	if p.license != "" {
		c.Licenses = []licensing{licensed(p.license)}
	}
	if p.sha256 != "" {
		c.Hashes = []hash{{"SHA-256", p.sha256}}
	}
	if p.sum != "" {
		c.Properties = append(c.Properties, property{"debitdesk:go.sum", p.sum})
	}
	if p.remark != "" {
		c.Properties = append(c.Properties, property{"debitdesk:file", p.remark})
	}
	return c
}

// writeNotices writes the licence of everything in the program, each text once.
func writeNotices(to io.Writer, parts []part) error {
	var texts []string
	of := map[string][]string{}
	for _, p := range parts {
		if p.scope != required {
			continue
		}
		if p.text == "" {
			return fmt.Errorf("%s has no licence that could be read", p.name)
		}
		if of[p.text] == nil {
			texts = append(texts, p.text)
		}
		of[p.text] = append(of[p.text], strings.TrimSpace(p.name+" "+p.version))
	}
	var b strings.Builder
	b.WriteString("Debitdesk is licensed under the Apache License 2.0. It contains the following work of others.\n")
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[text], "\n"), strings.TrimSpace(text))
	}
	_, err := io.WriteString(to, b.String())
	return err
}
