package main

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"debitdesk/cmd/app"
	"debitdesk/models/audit/merkle"
	"debitdesk/models/audit/trail"
	"debitdesk/models/keyfile"
	"debitdesk/models/plural"
)

// mostProof is how long a proof may be: it holds one entry and some hashes.
const mostProof = 32 << 20

// offline checks a file without the database, whatever it is: an exported chain, a checkpoint or a proof.
func (v *auditVerifyCmd) offline(c Config, io streams) error {
	file, err := os.Open(v.File)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	begins, _ := bufio.NewReader(file).Peek(24)
	if _, err := file.Seek(0, 0); err != nil {
		return err
	}
	keys := logKeys{given: v.Key, ours: publicKeys(c)}
	var said string
	switch text := string(begins); {
	case strings.HasPrefix(text, "{"):
		return v.pack(file, keys, io)
	case strings.HasPrefix(text, "c2sp.org/tlog-proof@"):
		said, err = checkText(file, keys, v.inclusion)
	case strings.HasPrefix(text, "old "):
		said, err = checkText(file, keys, v.consistency)
	case strings.HasPrefix(text, "PK\x03\x04"):
		said, err = v.mandate(file, keys)
	case strings.HasPrefix(text, "debitdesk/audit/"):
		said, err = checkText(file, keys, v.checkpoint)
	default:
		err = trail.ErrNoPack
	}
	if usage := (usageError{}); errors.As(err, &usage) {
		return usage
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.File, err)
	}
	_, err = fmt.Fprintln(io.out, said)
	return err
}

// publicKeys are those of the key file, where one is at hand.
func publicKeys(c Config) map[string][]byte {
	keys, err := keyfile.Load(keyfile.Path(c.Keys, c.Data))
	if err != nil {
		return map[string][]byte{}
	}
	return app.HeadSigner(keys.Signing).Public()
}

// logKeys are the keys by which checkpoints are checked.
type logKeys struct {
	given []string
	ours  map[string][]byte
}

// open checks the signature of a checkpoint, and tells in words whose it is.
func (k logKeys) open(at merkle.Checkpoint) (whose string, err error) {
	keys := k.of(at.Origin)
	if len(keys) == 0 {
		return "", errors.New("there is no key to check the signature with: give it by --key, " +
			"or run this where the key file is")
	}
	_, err = merkle.OpenCheckpoint(at.Text, keys)
	return k.whose(), err
}

// whose says whose key a signature is checked with.
func (k logKeys) whose() string {
	if len(k.given) > 0 {
		return "signed with the key that was given"
	}
	return "signed with a key that is in the key file here"
}

// checkText reads a checkpoint or a proof, and has it checked.
func checkText(from io.Reader, keys logKeys, check func(string, logKeys) (string, error)) (said string, err error) {
	text, err := io.ReadAll(io.LimitReader(from, mostProof))
	if err != nil {
		return "", err
	}
	return check(string(text), keys)
}

// checkpoint checks the signature, and with --since what two checkpoints alone can tell.
func (v *auditVerifyCmd) checkpoint(text string, keys logKeys) (string, error) {
	if v.Since != "" {
		return "", usageError{errors.New("two checkpoints alone do not tell whether the log only grew: " +
			"give the file that `debitdesk audit consistency` writes, or an exported audit")}
	}
	at, err := merkle.ReadCheckpoint(text)
	if err != nil {
		return "", err
	}
	whose, err := keys.open(at)
	return fmt.Sprintf("the checkpoint of %s holds: %s, %s", at.Origin, plural.Of(at.Size, "entry"), whose), err
}

func (v *auditVerifyCmd) inclusion(text string, keys logKeys) (string, error) {
	if v.Since != "" {
		return "", usageError{errors.New("a proof of one entry tells nothing of an older checkpoint: leave --since out")}
	}
	p, err := merkle.ReadInclusion(text)
	if err != nil {
		return "", err
	}
	e, wrongLine := trail.ReadLine(p.Line)
	whose, wrongKey := keys.open(p.Checkpoint)
	if err := errors.Join(p.Check(), wrongLine, wrongKey); err != nil {
		return "", err
	}
	shown, err := json.MarshalIndent(e, "", "  ")
	return fmt.Sprintf("%s\nthis entry is in the log %s, at place %d of %d, %s", shown, p.Checkpoint.Origin, p.Index+1,
		p.Checkpoint.Size, whose), err
}

func (v *auditVerifyCmd) consistency(text string, keys logKeys) (string, error) {
	if v.Since == "" {
		return "", usageError{errors.New("this proves that a log grew since an older checkpoint: give its file by --since")}
	}
	old, err := checkpointIn(v.Since)
	if err != nil {
		return "", err
	}
	p, err := merkle.ReadGrowth(text)
	if err != nil {
		return "", err
	}
	_, wrongOld := keys.open(old)
	if wrongOld != nil {
		wrongOld = fmt.Errorf("%s: %w", v.Since, wrongOld)
	}
	whose, wrongKey := keys.open(p.Checkpoint)
	if err := errors.Join(p.Check(old), wrongOld, wrongKey); err != nil {
		return "", err
	}
	return fmt.Sprintf("the log %s only grew: from %d to %s, %s", old.Origin, old.Size,
		plural.Of(p.Checkpoint.Size, "entry"), whose), nil
}

// mandate checks an audit pack of a mandate, and tells everything that does not fit.
func (v *auditVerifyCmd) mandate(file *os.File, keys logKeys) (string, error) {
	if v.Since != "" {
		return "", usageError{errors.New("an audit pack tells nothing of an older checkpoint: leave --since out")}
	}
	is, err := file.Stat()
	if err != nil {
		return "", err
	}
	pack, err := zip.NewReader(file, is.Size())
	if err != nil {
		return "", fmt.Errorf("the ZIP cannot be read: %w", err)
	}
	found := trail.CheckMandatePack(pack, keys.of)
	if len(found.Problems) > 0 {
		return "", errors.New(strings.Join(found.Problems, "\n"))
	}
	said := fmt.Sprintf("the audit pack of mandate %s holds: %s and %s, each in the log %s of %s; made %s",
		found.Reference, plural.Of(int64(found.Files), "file"), plural.Of(int64(found.Entries), "entry"), found.Origin,
		plural.Of(found.Size, "entry"), found.Made)
	if len(found.OwnKeys) == 0 {
		return said + ", " + keys.whose(), nil
	}
	return said + ", signed with a key that the pack itself names; it must be one that the business gave you:\n" +
		strings.Join(found.OwnKeys, "\n"), nil
}

// of are the keys to check a log with: those given, else those in the key file here.
func (k logKeys) of(origin string) []string {
	if len(k.given) > 0 {
		return k.given
	}
	keys, err := merkle.Keys(origin, k.ours)
	if err != nil {
		return nil
	}
	return keys
}

// since is the older checkpoint that was given; nil for none.
func (v *auditVerifyCmd) since() (*merkle.Checkpoint, error) {
	if v.Since == "" {
		return nil, nil
	}
	old, err := checkpointIn(v.Since)
	return &old, err
}

// names tells whether a key that was given is this public half.
func (k logKeys) names(origin string, public []byte) bool {
	key, err := merkle.Key(origin, public)
	return err == nil && slices.Contains(k.given, key)
}
