// Package fault knows how a refusal is described: its kind, a stable code, a
// sentence for a person and the fields it is about. It knows nothing of HTTP.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind says what sort of refusal this is; the edge turns it into a status.
type Kind int

// The kinds of refusal.
const (
	Internal        Kind = iota // a defect or an outage of ours; never shown in detail
	Invalid                     // what was sent breaks a rule
	NotFound                    // unknown, or another merchant's
	Conflict                    // not allowed in the record's present state
	Forbidden                   // the caller lacks the permission
	Unauthenticated             // the caller is not known
	TooMany                     // the caller must wait
	TooLarge                    // the request is larger than allowed
	Unavailable                 // try again later
	Provider                    // the bank refused
)

// All is the key of problems that belong to no single field.
const All = "__all__"

// Field is one problem at one place.
//
// Path names the place from the root of the request: "due",
// "purchase.products[0/2].price" (index and length of the list), or
// "purchase.__all__" for a problem of the object itself.
type Field struct{ Path, Code, Message string }

// Leaf is the last name of the path, without an index: the name of the form input.
func (f Field) Leaf() string {
	leaf := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
	if i := strings.IndexByte(leaf, '['); i >= 0 {
		leaf = leaf[:i]
	}
	return leaf
}

// Fault is a refusal. Code is stable; Message is a sentence for a person.
type Fault struct {
	Kind              Kind
	Code, Message     string
	Fields            []Field
	RetryAfterSeconds int
	cause             error
}

// Error is the sentence, with the fields when there are any.
func (f *Fault) Error() string {
	if len(f.Fields) == 0 {
		return f.Message
	}
	parts := make([]string, len(f.Fields))
	for i, p := range f.Fields {
		parts[i] = p.Path + ": " + p.Message
	}
	return strings.Join(parts, "; ")
}

// Words is the fault for a person: its sentences without the paths of the fields.
func (f *Fault) Words() string {
	if len(f.Fields) == 0 {
		return f.Message
	}
	said := make([]string, len(f.Fields))
	for i, p := range f.Fields {
		said[i] = p.Message
	}
	return strings.Join(said, " ")
}

// Unwrap gives the cause, if one was kept.
func (f *Fault) Unwrap() error { return f.cause }

// Because keeps err as the cause, for the log only.
func (f *Fault) Because(err error) *Fault { f.cause = err; return f }

// New makes a refusal that belongs to no field.
func New(kind Kind, code, format string, args ...any) *Fault {
	return &Fault{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// At makes a refusal of one field.
func At(path, code, format string, args ...any) *Fault {
	var p Problems
	p.Add(path, code, format, args...)
	return p.fault()
}

// Missing is the refusal for an unknown record, or one of another merchant.
func Missing() *Fault { return New(NotFound, "not_found", "Not found.") }

// Problems collects everything that is wrong, so that no problem hides another.
type Problems []Field

// Add notes one problem.
func (p *Problems) Add(path, code, format string, args ...any) {
	*p = append(*p, Field{path, code, fmt.Sprintf(format, args...)})
}

// Has tells whether a problem was noted at that very path.
func (p Problems) Has(path string) bool {
	for _, f := range p {
		if f.Path == path {
			return true
		}
	}
	return false
}

// Under notes the problems of another collection below a prefix.
func (p *Problems) Under(prefix string, more Problems) {
	for _, f := range more {
		f.Path = prefix + "." + f.Path
		*p = append(*p, f)
	}
}

// Err is nil when nothing is wrong, else one Invalid fault with all problems.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p.fault()
}

func (p Problems) fault() *Fault {
	return &Fault{Kind: Invalid, Code: p[0].Code, Message: p[0].Message, Fields: p}
}

// ErrLost says that another change of the same record came first: load it again
// and decide anew. It never reaches a caller.
var ErrLost = errors.New("another change came first")

// From finds the refusal in an error chain.
func From(err error) (*Fault, bool) {
	var f *Fault
	ok := errors.As(err, &f)
	return f, ok
}

// Is tells whether err is a refusal of that kind.
func Is(err error, kind Kind) bool {
	f, ok := From(err)
	return ok && f.Kind == kind
}

// HasCode tells whether err is a refusal that carries this code anywhere.
func HasCode(err error, code string) bool {
	f, ok := From(err)
	if !ok {
		return false
	}
	if f.Code == code {
		return true
	}
	for _, p := range f.Fields {
		if p.Code == code {
			return true
		}
	}
	return false
}
