package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"debitdesk/models/database/dbtest"
	"debitdesk/models/keyfile"
	"debitdesk/models/storetest"
)

// line is one command line, run in this process.
type line struct {
	code     int
	out, err string
}

func typed(t *testing.T, variables map[string]string, input string, args ...string) line {
	t.Helper()
	var out, problems bytes.Buffer
	code := run(t.Context(), args, streams{strings.NewReader(input), &out, &problems}, variables)
	return line{code, out.String(), problems.String()}
}

// sandboxOn is an environment with a database of its own.
func sandboxOn(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{"DATABASE_URL": storetest.DSN(t), "DEBITDESK_DATA": t.TempDir()}
}

func TestExitCodesTellWrongUsageFromFailure(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	for _, one := range []struct {
		name string
		args string
		code int
	}{
		{"help", "--help", exitOK},
		{"help of a command", "user create --help", exitOK},
		{"version", "version", exitOK},
		{"no command", "", exitUsage},
		{"unknown command", "collect", exitUsage},
		{"unknown flag", "serve --fast", exitUsage},
		{"missing flags", "user create --email a@b.example", exitUsage},
		{"an id that is none", "apikey revoke 12", exitUsage},
		{"an id to rotate that is none", "apikey rotate 12", exitUsage},
		{"an id to rotate of nothing", "apikey rotate 01a1fa4e-6093-7bd2-bd45-d740e9bdbbf2", exitFailed},
		{"too many clients", "demo --clients 100000", exitUsage},
		{"an id of nothing", "apikey revoke 01a1fa4e-6093-7bd2-bd45-d740e9bdbbf2", exitFailed},
		{"an unknown merchant", "apikey list --merchant nobody", exitFailed},
		{"a life of no time", "apikey create --merchant gym --name x --ttl 0", exitUsage},
		{"a life that is over", "apikey create --merchant gym --name x --ttl=-1h", exitUsage},
		{"a scope that is none", "apikey create --merchant gym --name x --scopes read,fly", exitUsage},
		{"a currency that is none", "books export --merchant gym --from 2026-10-01 --to 2026-10-31 --format csv " +
			"--currency rand -", exitUsage},
		{"days the wrong way round", "books export --merchant gym --from 2026-10-31 --to 2026-10-01 --format csv -",
			exitUsage},
	} {
		t.Run(one.name, func(t *testing.T) {
			got := typed(t, env, "", strings.Fields(one.args)...)
			if got.code != one.code {
				t.Errorf("got %d, want %d\n%s%s", got.code, one.code, got.out, got.err)
			}
			if one.code != exitOK && (got.out != "" || !strings.Contains(got.err, "debitdesk: ")) {
				t.Errorf("errors belong on standard error alone: %q, %q", got.out, got.err)
			}
		})
	}
	if got := typed(t, map[string]string{"DEBITDESK_MODE": "both"}, "", "version"); got.code != exitUsage {
		t.Errorf("a wrong environment ended with %d", got.code)
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// What a command could not say is not done: a script would go on with an empty file.
func TestWhatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	makeMerchant(t, env, "gym")
	dir := t.TempDir()
	if got := typed(t, env, "", "bank", "check", dir, "--init", "generic"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, args := range []string{"--help", "help", "rules --help", "version", "rules", "rules --json", "books check",
		"figures check", "audit verify", "migrate status", "keys status", "apikey list", "holiday list", "bank check " + dir,
		"completion bash", "man"} {
		var problems bytes.Buffer
		code := run(t.Context(), strings.Fields(args), streams{strings.NewReader(""), fullDisk{}, &problems}, env)
		if code != exitFailed || strings.Count(problems.String(), "no space left") != 1 ||
			strings.Contains(problems.String(), "Usage:") {
			t.Errorf("%s: %d, %s", args, code, problems.String())
		}
	}
}

// makeMerchant makes a merchant.
func makeMerchant(t *testing.T, env map[string]string, slug string) {
	t.Helper()
	if got := typed(t, env, "", "merchant", "create", slug, "--name", slug); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
}

func TestAMerchantIsNotMadeByATypingError(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	user := []string{"user", "create", "--email", "owner@gym.example", "--role", "admin", "--password-stdin", "--merchant"}
	if got := typed(t, env, "long enough to pass\n", append(user, "gymm")...); got.code != exitFailed ||
		!strings.Contains(got.err, "merchant create gymm --name") || strings.Contains(got.err, "Did you mean") {
		t.Errorf("no merchant at all: %+v", got)
	}
	makeMerchant(t, env, "gym")
	makeMerchant(t, env, "swimming-pool")
	for _, args := range [][]string{append(user, "gymm"), {"apikey", "create", "--name", "till", "--merchant", "gmy"},
		{"apikey", "list", "--merchant", "gym1"}} {
		if got := typed(t, env, "long enough to pass\n", args...); got.code != exitFailed ||
			!strings.Contains(got.err, `Did you mean "gym"?`) {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if got := typed(t, env, "", "apikey", "list"); strings.Contains(got.out, "gymm") {
		t.Errorf("it was made: %+v", got)
	}
}

func TestPeopleAndCredentialsAreMadeByCommands(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	makeMerchant(t, env, "gym")
	makeMerchant(t, env, "pool")
	args := []string{"user", "create", "--email", "owner@gym.example", "--role", "admin", "--merchant", "gym",
		"--password-stdin"}
	if got := typed(t, env, "long enough to pass\n", args...); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, env, "long enough to pass\n", args...); got.code != exitFailed || got.out != "" {
		t.Errorf("the same person twice: %+v", got)
	}
	elsewhere := typed(t, env, "another password\n", "user", "create", "--email", "OWNER@gym.example", "--role",
		"readonly", "--merchant", "pool", "--password-stdin")
	if elsewhere.code != exitOK || !strings.Contains(elsewhere.out, `"role":"readonly"`) ||
		!strings.Contains(elsewhere.err, "The password is unchanged.") {
		t.Errorf("the same person for another business: %+v", elsewhere)
	}
	if got := typed(t, env, "short\n", append(args[:3:3], "other@gym.example", "--role", "boss", "--merchant", "gym",
		"--password-stdin")...); got.code != exitFailed ||
		!strings.Contains(got.err, "password: ") || !strings.Contains(got.err, "role: ") {
		t.Errorf("not all problems are told: %+v", got)
	}
	token := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--scopes", "read", "--ttl",
		"48h")
	if token.code != exitOK || strings.Count(strings.TrimSpace(token.out), ".") != 2 {
		t.Errorf("no JWT alone: %+v", token)
	}
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	made := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "shop", "--client-credentials")
	if err := json.Unmarshal([]byte(made.out), &client); err != nil || client.ID == "" || client.Secret == "" {
		t.Fatalf("%v in %+v", err, made)
	}
	first := client.ID
	rotated := typed(t, env, "", "apikey", "rotate", first, "--overlap", "1h")
	if err := json.Unmarshal([]byte(rotated.out), &client); err != nil || client.ID == first {
		t.Fatalf("%v in %+v", err, rotated)
	}
	if got := typed(t, env, "", "apikey", "rotate", first); got.code != exitFailed ||
		!strings.Contains(got.err, "was already replaced") {
		t.Errorf("rotated twice: %+v", got)
	}
	if got := typed(t, env, "", "apikey", "rotate", client.ID, "--overlap", "169h"); got.code != exitFailed ||
		!strings.Contains(got.err, "seven days") {
		t.Errorf("an overlap that is too long: %+v", got)
	}
	if got := typed(t, env, "", "apikey", "revoke", client.ID); got.code != exitOK {
		t.Errorf("%+v", got)
	}
	list := typed(t, env, "", "apikey", "list")
	if !strings.Contains(list.out, "till") || !strings.Contains(list.out, "revoked") ||
		!strings.Contains(list.out, client.ID) {
		t.Errorf("the list is not complete: %+v", list)
	}
}

func TestLiveModeMakesNoMerchantByTheWay(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := keyfile.Generate(keys); err != nil {
		t.Fatal(err)
	}
	live := map[string]string{"DATABASE_URL": storetest.DSN(t), "DEBITDESK_DATA": t.TempDir(), "DEBITDESK_MODE": "live",
		"DEBITDESK_KEYS":     keys,
		"DEBITDESK_BASE_URL": "https://desk.example", "DEBITDESK_BANK": "files:bank"}
	user := []string{"user", "create", "--email", "owner@gym.example", "--role", "admin", "--merchant", "gym",
		"--password-stdin"}
	if got := typed(t, live, "long enough to pass\n", user...); got.code != exitFailed ||
		!strings.Contains(got.err, "no merchant") {
		t.Errorf("user: %+v", got)
	}
	if got := typed(t, live, "", "apikey", "create", "--merchant", "gym", "--name", "till"); got.code != exitFailed {
		t.Errorf("credential: %+v", got)
	}
	if got := typed(t, live, "", "demo"); got.code != exitFailed {
		t.Errorf("demo: %+v", got)
	}
	if got := typed(t, live, "", "merchant", "create", "gym", "--name", "The Gym"); got.code != exitOK ||
		!strings.Contains(got.out, `"merchant_slug":"gym"`) {
		t.Fatalf("merchant: %+v", got)
	}
	if got := typed(t, live, "long enough to pass\n", user...); got.code != exitOK {
		t.Errorf("the user of a known merchant: %+v", got)
	}
	reset := []string{"user", "reset-factors", "--merchant", "gym", "--email"}
	if got := typed(t, live, "", append(reset, "nobody@gym.example")...); got.code != exitFailed ||
		!strings.Contains(got.err, "does not work for gym") {
		t.Errorf("reset of a stranger: %+v", got)
	}
	if got := typed(t, live, "", append(reset, "OWNER@gym.example")...); got.code != exitOK ||
		!strings.Contains(got.out, "password only") {
		t.Errorf("reset: %+v", got)
	}
}

func TestLiveModeDoesNotServeADatabaseWithADemo(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	if got := typed(t, env, "", "demo", "--clients", "2"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	keys := filepath.Join(t.TempDir(), "keys.json")
	if got := typed(t, env, "", "keys", "new", keys); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if again := typed(t, env, "", "keys", "new", keys); again.code != exitFailed {
		t.Errorf("keys were written over: %+v", again)
	}
	live := map[string]string{"DATABASE_URL": env["DATABASE_URL"], "DEBITDESK_DATA": env["DEBITDESK_DATA"],
		"DEBITDESK_MODE": "live", "DEBITDESK_KEYS": keys,
		"DEBITDESK_LISTEN": "127.0.0.1:0", "DEBITDESK_BASE_URL": "https://desk.example",
		"DEBITDESK_BANK": "files:" + filepath.Join(t.TempDir(), "bank")}
	if got := typed(t, live, "", "serve"); got.code != exitFailed ||
		!strings.Contains(got.err, "profile.json is missing") {
		t.Errorf("without a profile of the bank: %+v", got)
	}
	if got := typed(t, live, "", "bank", "check", "--init", "generic"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for _, command := range []string{"serve", "work"} {
		if got := typed(t, live, "", command); got.code != exitFailed ||
			!strings.Contains(got.err, "demo merchant and its people") {
			t.Errorf("%s: %+v", command, got)
		}
	}
	found, code := examined(t, live)
	found["demo"].is(t, bad, "database of its own")
	found["mail"].is(t, bad, "DEBITDESK_SMTP_URL")
	if code != exitFailed {
		t.Errorf("the doctor ended with %d", code)
	}
}

func TestADatabaseThatIsBehindIsNotServed(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": dbtest.Empty(t), "DEBITDESK_DATA": t.TempDir(),
		"DEBITDESK_LISTEN": "127.0.0.1:0"}
	if got := typed(t, env, "", "serve"); got.code != exitFailed || !strings.Contains(got.err, "migrate up") {
		t.Errorf("serve: %+v", got)
	}
	if got := typed(t, env, "", "migrate", "status"); got.code != exitFailed || !strings.Contains(got.out, "missing") {
		t.Errorf("status: %+v", got)
	}
	if got := typed(t, env, "", "migrate", "up"); got.code != exitOK || strings.Contains(got.out, "missing") {
		t.Errorf("up: %+v", got)
	}
	if got := typed(t, env, "", "migrate", "status"); got.code != exitOK {
		t.Errorf("status after up: %+v", got)
	}
}

func TestTheNameOfAMerchantIsAsLongAsABrandsMayBe(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	for n, want := range map[int]int{128: exitOK, 129: exitFailed} {
		got := typed(t, env, "", "merchant", "create", "gym", "--name", strings.Repeat("é", n))
		if got.code != want || want == exitFailed && !strings.Contains(got.err, "at most 128 characters") {
			t.Errorf("%d characters: %+v", n, got)
		}
	}
}
