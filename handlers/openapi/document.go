// Package openapi knows the document of the JSON API: how it is read, served,
// and taken apart for the page that shows it. It must not know how requests are
// handled.
package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/labstack/echo/v4"
	yaml "go.yaml.in/yaml/v3"

	"debitdesk/static"
)

// Document is the description of the API, read once.
type Document struct {
	body []byte // JSON, keys in the order of the source
	etag string
	root *yaml.Node
}

// documents are those that were read, by their server. Nothing changes one afterwards.
var documents sync.Map

// Read gives the document that the binary carries, which it reads once for each server. server is the public address
// of the product, which the document names as the only server.
func Read(server string) (*Document, error) {
	if known, ok := documents.Load(server); ok {
		return known.(*Document), nil
	}
	d, err := read(server)
	if err != nil {
		return nil, err
	}
	known, _ := documents.LoadOrStore(server, d)
	return known.(*Document), nil
}

func read(server string) (*Document, error) {
	source, ok := static.Bytes("openapi.yaml")
	if !ok {
		return nil, errors.New("openapi: no document")
	}
	var file yaml.Node
	if err := yaml.Unmarshal(source, &file); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	d := &Document{root: file.Content[0]}
	if err := expand(d.root); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	if servers := get(d.root, "servers"); server != "" && servers != nil {
		get(servers.Content[0], "url").Value = server
	}
	var b bytes.Buffer
	if err := write(&b, d.root); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	d.body, d.etag = b.Bytes(), `"`+hex.EncodeToString(sum[:8])+`"`
	return d, nil
}

// JSON is the document as it is served.
func (d *Document) JSON() []byte { return slices.Clone(d.body) }

// Serve serves GET /openapi.json, which needs no login.
func (d *Document) Serve(c echo.Context) error {
	h := c.Response().Header()
	h.Set("ETag", d.etag)
	h.Set(echo.HeaderCacheControl, "no-cache")
	if c.Request().Header.Get("If-None-Match") == d.etag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, d.body)
}

// write renders a node as JSON.
func write(b *bytes.Buffer, n *yaml.Node) error {
	n = real(n)
	switch n.Kind {
	case yaml.MappingNode:
		return writeObject(b, n)
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := write(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		return writeScalar(b, n)
	case yaml.DocumentNode, yaml.AliasNode:
	}
	return fmt.Errorf("line %d: no value", n.Line)
}

func writeObject(b *bytes.Buffer, n *yaml.Node) error {
	b.WriteByte('{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeText(b, n.Content[i].Value); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := write(b, n.Content[i+1]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool":
		if !json.Valid([]byte(n.Value)) {
			return fmt.Errorf("line %d: %q is not JSON", n.Line, n.Value)
		}
		b.WriteString(n.Value)
		return nil
	case "!!null":
		b.WriteString("null")
		return nil
	}
	return writeText(b, n.Value)
}

func writeText(b *bytes.Buffer, text string) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the encoder ends lines
	return nil
}

// real is what an alias stands for.
func real(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// get is the value of a key, or nil.
func get(n *yaml.Node, key string) *yaml.Node {
	n = real(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return real(n.Content[i+1])
		}
	}
	return nil
}
