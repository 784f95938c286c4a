package developers

import (
	"crypto/rsa"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/webhook"
)

// The sample that a developer copies is compiled and run as it stands.
func TestTheGoSampleTellsATrueSignatureFromAFalseOne(t *testing.T) {
	t.Parallel()
	keys, err := webhook.NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.ParsePKCS8PrivateKey(keys.Private)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"event_type":"purchase.paid","client":{"full_name":"Zoë"}}`
	signature, err := webhook.Sign(private.(*rsa.PrivateKey), []byte(body)) //nolint:forcetypeassert // keys are RSA keys
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module sample\n\ngo 1.24\n", "hooks/verify.go": samples[0].Text,
		"key.pem": keys.Public, "main.go": `package main

import (
	"fmt"
	"os"

	"sample/hooks"
)

func main() {
	key, _ := os.ReadFile("key.pem")
	fmt.Print(hooks.Verify(key, []byte(os.Args[1]), os.Args[2]) == nil,
		hooks.Verify(key, []byte(os.Args[1]+" "), os.Args[2]) == nil)
}
`}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".", body, signature) //nolint:gosec // our own sample
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "true false" {
		t.Errorf("%v: %s", err, got)
	}
}
