package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// shellBlocks are the blocks of the manual's walk through the API, which a person pastes into
// one shell, in order.
func shellBlocks(t *testing.T) string {
	t.Helper()
	var script strings.Builder
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(manualText(t, "api"), -1) {
		script.WriteString(block[1])
	}
	return script.String()
}

func TestTheShellBlocksOfTheManualRunAsPrinted(t *testing.T) {
	env := sandboxOn(t)
	var demo struct {
		Token string `json:"api_token"`
	}
	if err := json.Unmarshal([]byte(typed(t, env, "", "demo", "--json", "--clients", "3").out), &demo); err != nil {
		t.Fatal(err)
	}
	on := serving(t, env)
	script := shellBlocks(t)
	for printed, here := range map[string]string{"DEBITDESK_TOKEN=...": "DEBITDESK_TOKEN=" + demo.Token,
		"BASE=http://127.0.0.1:8080": "BASE=" + on.url} {
		if strings.Count(script, printed) != 1 {
			t.Fatalf("%q does not stand once in the blocks", printed)
		}
		script = strings.Replace(script, printed, here, 1)
	}
	// A refused call ends the script, which a person would see.
	script = "set -euo pipefail\ncurl() { command curl --fail-with-body \"$@\"; }\n" + script
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script) //nolint:gosec // the manual's own words
	cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"settlement": "provisional"`, `"settlement": "final"`, `"pending_charge",`,
		`"status": "pending_charge"`, `"payment_method": "eft"`, `"payment_method": "debicheck"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("nothing prints %s:\n%s", want, out)
		}
	}
}
