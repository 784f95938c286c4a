package iso20022

import (
	"encoding/xml"
	"io"
	"strings"

	"debitdesk/models/bank/exchange"
)

// What no honest document of a bank comes near.
const (
	maxDepth   = 60        // elements within each other
	maxNodes   = 5_000     // elements in one item, entry or detail
	maxContent = 256 << 10 // bytes of text in one item, entry or detail
)

// scanner reads elements one by one. Of what it is told to keep it makes small trees; nothing else stays.
type scanner struct {
	source *source
	xml    *xml.Decoder
	depth  int
}

func newScanner(s *source) *scanner {
	x := xml.NewDecoder(s)
	x.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	return &scanner{source: s, xml: x}
}

// next gives the next start, end or text.
func (s *scanner) next() (xml.Token, error) {
	for {
		s.source.mark()
		token, err := s.xml.Token()
		if err != nil {
			return nil, err
		}
		switch token.(type) {
		case xml.StartElement:
			if s.depth++; s.depth > maxDepth {
				return nil, unreadable("Its elements lie more than %d deep.", maxDepth)
			}
			return token, nil
		case xml.EndElement:
			s.depth--
			return token, nil
		case xml.CharData:
			return token, nil
		case xml.Directive:
			return nil, unreadable("It has a document type or entities, which are refused because they can hide or load" +
				" other content.")
		}
	}
}

// skip passes over the element whose start was read.
func (s *scanner) skip() error {
	for open := 1; open > 0; {
		token, err := s.next()
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			open++
		case xml.EndElement:
			open--
		}
	}
	return nil
}

// children calls each for the elements in the element whose start was read. It must read the child to its end.
func (s *scanner) children(each func(name string) error) error {
	for {
		token, err := s.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := each(t.Name.Local); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// node is one element with what is in it.
type node struct {
	name     string
	currency string // of an amount
	text     string
	kids     []*node
}

// budget bounds what one tree may hold.
type budget struct{ nodes, content int }

func newBudget() *budget { return &budget{maxNodes, maxContent} }

func (b *budget) take(nodes, content int) error {
	b.nodes, b.content = b.nodes-nodes, b.content-content
	if b.nodes < 0 || b.content < 0 {
		return unreadable("One of its items is larger than any bank writes.")
	}
	return nil
}

// tree reads the element whose start was read, but for persons and their accounts.
func (s *scanner) tree(name string, b *budget) (*node, error) { return s.grow(name, b, personal) }

func (s *scanner) grow(name string, b *budget, without map[string]bool) (*node, error) {
	n := &node{name: name}
	if err := b.take(1, 0); err != nil {
		return nil, err
	}
	var text []byte
	for {
		token, err := s.next()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.CharData:
			if len(n.kids) == 0 {
				if err := b.take(0, len(t)); err != nil {
					return nil, err
				}
				text = append(text, t...)
			}
		case xml.StartElement:
			if without[t.Name.Local] {
				if err := s.skip(); err != nil {
					return nil, err
				}
				continue
			}
			kid, err := s.grow(t.Name.Local, b, without)
			if err != nil {
				return nil, err
			}
			kid.currency = currencyOf(t)
			n.kids = append(n.kids, kid)
		case xml.EndElement:
			if len(n.kids) == 0 {
				n.text = strings.TrimSpace(string(text))
			}
			return n, nil
		}
	}
}

func currencyOf(start xml.StartElement) string {
	for _, a := range start.Attr {
		if a.Name.Local == "Ccy" {
			return clip(strings.TrimSpace(a.Value), 3)
		}
	}
	return ""
}

// collect reads the element whose start was read: the children named in keep become part of the tree, those in stream
// are handed on one by one, with what the tree holds so far, and all others are passed over.
func (s *scanner) collect(n *node, keep map[string]bool, stream map[string]func() error) error {
	b := newBudget()
	for {
		token, err := s.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err := s.sort(n, t, b, keep, stream)
			if err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

func (s *scanner) sort(n *node, start xml.StartElement, b *budget, keep map[string]bool,
	stream map[string]func() error) error {
	name := start.Name.Local
	if hand, ok := stream[name]; ok {
		return hand()
	}
	if !keep[name] {
		return s.skip()
	}
	kid, err := s.tree(name, b)
	if err != nil {
		return err
	}
	kid.currency = currencyOf(start)
	n.kids = append(n.kids, kid)
	return nil
}

func names(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

// at is the first element on a path below, or nil.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		var found *node
		for _, kid := range n.kids {
			if kid.name == name {
				found = kid
				break
			}
		}
		n = found
	}
	return n
}

// all are the children of a name.
func (n *node) all(name string) (list []*node) {
	if n == nil {
		return nil
	}
	for _, kid := range n.kids {
		if kid.name == name {
			list = append(list, kid)
		}
	}
	return list
}

// words is the text at a path; empty where there is none.
func (n *node) words(path ...string) string {
	if found := n.at(path...); found != nil {
		return found.text
	}
	return ""
}

// id is a reference at a path. What banks write where they have none is nothing.
func (n *node) id(path ...string) string {
	text := clip(n.words(path...), 140)
	if exchange.RefersToNothing(text) {
		return ""
	}
	return text
}

// code is the code at a path, be it the element's text or in its Cd or Prtry.
func (n *node) code(path ...string) string {
	found := n.at(path...)
	if found == nil {
		return ""
	}
	for _, text := range []string{found.text, found.words("Cd"), found.words("Prtry")} {
		if text != "" {
			return clip(text, 35)
		}
	}
	return ""
}

// prose joins the texts of all children of a name.
func (n *node) prose(name string) string {
	var parts []string
	for _, kid := range n.all(name) {
		if kid.text != "" {
			parts = append(parts, kid.text)
		}
	}
	return clip(strings.Join(strings.Fields(strings.Join(parts, " ")), " "), 1000)
}

// clip cuts a text to a number of characters.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	letters := []rune(text)
	return string(letters[:min(len(letters), most)])
}
