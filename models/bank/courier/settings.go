package courier

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"debitdesk/models/secretfile"
)

// Settings say where files come from and go to, and who signs in.
type Settings struct {
	Dir   string // the exchange folder, with outbox, sent and inbox in it
	State string // the folder of what the courier remembers; empty: beside Dir, with .courier behind its name

	Address    string // host, or host:port
	HostKey    string // a known_hosts line, or SHA256:… fingerprints with spaces between them
	User       string
	KeyFile    string // the private key, mode 0600
	Passphrase string // of the key; never shown

	Out    string // the server's folder for our files
	In     string // the server's folder with its answers
	Remove bool   // answers are removed from the server once they are here; else they stay

	MaxBytes int64         // of one file, either way; 0: 256 MB
	Patience time.Duration // how long the server may be silent; 0: a minute

	Now func() time.Time // nil: the real clock
	Log func(line string)
}

// usualMaxBytes is more than any message has.
const usualMaxBytes = 256 << 20

// Problem says which setting is wrong, as the flag names it.
type Problem struct{ Setting, What string }

func (p *Problem) Error() string { return p.Setting + ": " + p.What }

func wrong(setting, format string, args ...any) error {
	return &Problem{setting, fmt.Sprintf(format, args...)}
}

// complete fills in what was left out, and names everything that is missing.
func (s *Settings) complete() error {
	var problems []error
	for _, one := range []struct{ setting, value, what string }{
		{"dir", s.Dir, "name the exchange folder"}, {"address", s.Address, "name the bank's server"},
		{"user", s.User, "name the user at the bank's server"}, {"key", s.KeyFile, "name the file with the private key"},
		{"host-key", s.HostKey, "give the server's host key, as the bank has told you; it is never taken on trust"},
		{"out", s.Out, "name the server's folder for your files"}, {"in", s.In, "name the server's folder with its answers"},
	} {
		if strings.TrimSpace(one.value) == "" {
			problems = append(problems, wrong(one.setting, "%s", one.what))
		}
	}
	if s.State == "" {
		s.State = filepath.Clean(s.Dir) + ".courier"
	}
	if s.MaxBytes <= 0 {
		s.MaxBytes = usualMaxBytes
	}
	if s.Patience <= 0 {
		s.Patience = time.Minute
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Log == nil {
		s.Log = func(string) {}
	}
	if _, _, err := net.SplitHostPort(s.Address); err != nil && s.Address != "" {
		s.Address = net.JoinHostPort(strings.Trim(s.Address, "[]"), "22")
	}
	return errors.Join(problems...)
}

// hostKeys tells whether a key is the server's, by the setting.
type hostKeys struct {
	key          ssh.PublicKey // of a known_hosts line
	fingerprints []string
}

// parseHostKeys reads the setting, which is public.
func parseHostKeys(text string) (hostKeys, error) {
	words := strings.Fields(text)
	if len(words) > 0 && strings.HasPrefix(words[0], "SHA256:") {
		for _, w := range words {
			if !strings.HasPrefix(w, "SHA256:") || len(strings.TrimRight(w, "=")) != len("SHA256:")+43 {
				return hostKeys{}, wrong("host-key", "%q is not a fingerprint of the form SHA256: and 43 letters", w)
			}
		}
		return hostKeys{fingerprints: words}, nil
	}
	if marker, _, key, _, _, err := ssh.ParseKnownHosts([]byte(text)); err == nil && marker == "" {
		return hostKeys{key: key}, nil
	}
	if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)); err == nil { // a line without the host
		return hostKeys{key: key}, nil
	}
	return hostKeys{}, wrong("host-key", "is neither a line of known_hosts nor a fingerprint that begins with SHA256:")
}

// errHostKey is another server than the one that was agreed on, or one that somebody put in between.
var errHostKey = errors.New("the server shows another host key than the setting names; nothing was sent to it")

func (h hostKeys) check(_ string, _ net.Addr, shown ssh.PublicKey) error {
	print := ssh.FingerprintSHA256(shown)
	for _, f := range h.fingerprints {
		if strings.TrimRight(f, "=") == print {
			return nil
		}
	}
	if h.key != nil && string(h.key.Marshal()) == string(shown.Marshal()) {
		return nil
	}
	return fmt.Errorf("%w: %s %s", errHostKey, shown.Type(), print)
}

// algorithms makes the server show the key that the setting names, where it has several.
func (h hostKeys) algorithms() []string {
	if h.key == nil {
		return nil
	}
	if h.key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{h.key.Type()}
}

// readKey reads the private key. Its errors never hold any of it.
func readKey(path, passphrase string) (ssh.Signer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, wrong("key", "the file cannot be read: %v", withoutPath(err))
	}
	if !info.Mode().IsRegular() || !secretfile.Guarded(info) {
		return nil, wrong("key", "the file cannot be used: %s", secretfile.Rule)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, wrong("key", "the file cannot be read: %v", withoutPath(err))
	}
	var signer ssh.Signer
	if passphrase == "" {
		signer, err = ssh.ParsePrivateKey(text)
	} else {
		signer, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(passphrase))
	}
	switch {
	case errors.As(err, new(*ssh.PassphraseMissingError)):
		return nil, wrong("key", "the key has a passphrase; set DEBITDESK_COURIER_PASSPHRASE")
	case err != nil:
		return nil, wrong("key", "the file holds no private key that can be read, or the passphrase is another one")
	}
	return signer, nil
}

func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
