package merkle

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"debitdesk/models/audit"
)

// Checkpoint is what a log says of itself at some size: a signed note in the form of C2SP tlog-checkpoint.
type Checkpoint struct {
	Origin string // the name of the log and of its keys
	Size   int64
	Root   Hash
	Text   string // the note with its signatures
}

// Origin is the name of a merchant's log. A chain that was accepted as it stands has a new log from then on, named by
// the moment, since a log must never say anything else than it said before.
func Origin(merchantID uuid.UUID, accepted time.Time) string {
	name := "debitdesk/audit/" + merchantID.String()
	if accepted.IsZero() {
		return name
	}
	return name + "/" + accepted.UTC().Format("20060102T150405.000000Z")
}

// Sign cuts the checkpoint of a tree.
func Sign(t Tree, by audit.Signer) (Checkpoint, error) {
	c := Checkpoint{Origin: t.Origin, Size: t.Size, Root: t.Root}
	text, err := SignNote(c.Origin, c.body(), by)
	c.Text = text
	return c, err
}

func (c Checkpoint) body() string { return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, c.Root) }

// SignNote signs a text in the name of a log.
func SignNote(origin, text string, by audit.Signer) (string, error) {
	keyID, signature := by.Sign([]byte(text))
	v, err := verifierOf(origin, by.Public()[keyID])
	if err != nil {
		return "", err
	}
	signed, err := note.Sign(&note.Note{Text: text}, signed{v, signature})
	return string(signed), err
}

// signed is a note.Signer whose signature is made already.
type signed struct {
	note.Verifier
	signature []byte
}

// Sign implements note.Signer.
func (s signed) Sign([]byte) ([]byte, error) { return s.signature, nil }

// Key writes a public key as tools for signed notes read it: name, hash and key.
func Key(origin string, public []byte) (string, error) {
	if len(public) != ed25519.PublicKeySize {
		return "", errors.New("a public key of Ed25519 has 32 bytes")
	}
	return note.NewEd25519VerifierKey(origin, public)
}

func verifierOf(origin string, public []byte) (note.Verifier, error) {
	key, err := Key(origin, public)
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(key)
}

// Keys writes public keys as tools for signed notes read them.
func Keys(origin string, public map[string][]byte) (keys []string, err error) {
	for _, one := range public {
		key, err := Key(origin, one)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Problems in words; each names one thing that does not fit.
var (
	ErrNoCheckpoint = errors.New("this is not a checkpoint of an audit log")
	ErrSignature    = errors.New("no signature of the checkpoint is by a key that is known here")
)

// ReadCheckpoint takes a checkpoint apart without looking at its signatures.
func ReadCheckpoint(text string) (Checkpoint, error) {
	body, _, ok := strings.Cut(text, "\n\n")
	lines := strings.Split(body, "\n")
	if !ok || len(lines) != 3 {
		return Checkpoint{}, ErrNoCheckpoint
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	root, wrong := tlog.ParseHash(lines[2])
	c := Checkpoint{Origin: lines[0], Size: size, Root: root, Text: text}
	if err != nil || wrong != nil || size < 0 || c.body() != body+"\n" || c.Origin == "" {
		return Checkpoint{}, ErrNoCheckpoint
	}
	return c, nil
}

// OpenCheckpoint reads a checkpoint that one of these keys signed.
func OpenCheckpoint(text string, keys []string) (Checkpoint, error) {
	c, err := ReadCheckpoint(text)
	if err != nil {
		return c, err
	}
	_, err = OpenNote(c.Origin, text, keys)
	return c, err
}

// OpenNote gives the text of a note that one of these keys signed in the name of a log.
func OpenNote(origin, text string, keys []string) (string, error) {
	var known []note.Verifier
	for _, key := range keys {
		v, err := note.NewVerifier(key)
		if err != nil {
			return "", fmt.Errorf("%q is not a public key of a log: %w", key, err)
		}
		if v.Name() == origin {
			known = append(known, v)
		}
	}
	return OpenBy(text, known)
}

// OpenBy gives the text of a note that one of these signed.
func OpenBy(text string, known []note.Verifier) (string, error) {
	opened, err := note.Open([]byte(text), note.VerifierList(known...))
	if err != nil {
		return "", ErrSignature
	}
	return opened.Text, nil
}

// Verifier knows the signatures of a key; check has the last word on each.
func Verifier(origin string, public []byte, check func(data, signature []byte) bool) (note.Verifier, error) {
	v, err := verifierOf(origin, public)
	return checked{v, check}, err
}

type checked struct {
	note.Verifier
	check func(data, signature []byte) bool
}

// Verify implements note.Verifier.
func (c checked) Verify(data, signature []byte) bool { return c.check(data, signature) }

// hashText writes a hash as the lines of proofs have it.
func hashText(h Hash) string { return base64.StdEncoding.EncodeToString(h[:]) }
