package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers"
)

func TestAnEmptyEnvironmentIsASandboxOnThisMachine(t *testing.T) {
	c, err := ReadConfig(map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Listen: "127.0.0.1:8080", Data: "data", Mode: "sandbox", Bank: "sandbox", Log: "info",
		LogFormat: "text", RateLimit: "1500:30000", RequestLog: true, KeepRequests: "30d", KeepAudit: "10y",
		TracedShare: 1, Courier: CourierConfig{Every: time.Minute}}
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if !c.Sandbox() || !c.Embedded() {
		t.Error("it is not an embedded sandbox")
	}
}

func TestAnEmptyVariableCountsAsUnset(t *testing.T) {
	c, err := ReadConfig(map[string]string{"DEBITDESK_LISTEN": "", "DEBITDESK_MODE": "", "DEBITDESK_LOG": ""})
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:8080" || c.Mode != "sandbox" || c.Log != "info" {
		t.Errorf("got %+v", c)
	}
}

func TestEveryProblemOfTheEnvironmentIsReportedAtOnce(t *testing.T) {
	bad := map[string]string{
		"DEBITDESK_LISTEN": "8080", "DEBITDESK_OPS_LISTEN": "127.0.0.1:99999", "DEBITDESK_BASE_URL": "desk.example",
		"DATABASE_URL": "mysql://u:secret@host/db", "DATABASE_READ_URL": "standby:5432", "DATABASE_DIRECT_URL": "http://h",
		"DEBITDESK_SMTP_URL": "mail.example:25", "DEBITDESK_MODE": "test", "DEBITDESK_BANK": "files:",
		"DEBITDESK_LOG": "loud", "DEBITDESK_LOG_FORMAT": "xml", "DEBITDESK_RATE_LIMIT": "fast", "DEBITDESK_DRAIN": "1h",
		"DEBITDESK_KEEP_REQUESTS": "3w", "DEBITDESK_KEEP_AUDIT": "4y", "DEBITDESK_REQUEST_LOG": "no",
		"DEBITDESK_COURIER_EVERY": "60", "LISTEN_FDS": "one",
	}
	_, err := ReadConfig(bad)
	if err == nil {
		t.Fatal("nothing was refused")
	}
	for name := range bad {
		if !strings.Contains(err.Error(), name+": ") {
			t.Errorf("nothing about %s in:\n%v", name, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("a password is shown:\n%v", err)
	}
}

// A person who set a variable knows its name, and no field of ours.
func TestWhatCannotBeReadNamesItsVariable(t *testing.T) {
	for name, want := range map[string]string{"DEBITDESK_DRAIN": `"30" is not a time such as 30s or 5m`,
		"DEBITDESK_REQUEST_LOG": `"30" is not true or false`, "DEBITDESK_COURIER_REMOVE": `"30" is not true or false`} {
		_, err := ReadConfig(map[string]string{name: "30"})
		if err == nil || err.Error() != name+": "+want {
			t.Errorf("got %v, want %s: %s", err, name, want)
		}
	}
}

func TestThePublicAddressHasNoPathAndNoPassword(t *testing.T) {
	for _, base := range []string{"https://desk.example/pay", "https://u:pw@desk.example", "https://desk.example?x=1"} {
		if _, err := ReadConfig(map[string]string{"DEBITDESK_BASE_URL": base}); err == nil ||
			strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: %v", base, err)
		}
	}
	for _, base := range []string{"https://desk.example/", "http://127.0.0.1:8080"} {
		if _, err := ReadConfig(map[string]string{"DEBITDESK_BASE_URL": base}); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// A slip of the pen would leave a setting as it is by default, without a word.
func TestAVariableThatIsNoSettingIsNamed(t *testing.T) {
	got := strangers([]string{"DEBITDESK_SMTP_ULR=smtp://x:secret@y", "DEBITDESK_DATA=data", "DEBITDESK_POSTGRES_BIN=/x",
		"DEBITDESK_COURIER_KEY=k", "DATABASE_URL=x", "DEBITDESK_TEST_DSN=x", "PATH=/bin"})
	const want = "DEBITDESK_SMTP_ULR is not a setting and has no effect. Did you mean \"DEBITDESK_SMTP_URL\"?"
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}

func TestHelpIsACommand(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"help", "keys", "new"}, {"help", "nothing"}} {
		var out, wrong bytes.Buffer
		code := run(t.Context(), args, streams{nil, &out, &wrong}, map[string]string{})
		if unknown := args[len(args)-1] == "nothing"; unknown != (code == exitUsage) || !unknown && (code != exitOK ||
			!strings.Contains(out.String(), "Usage: debitdesk")) {
			t.Errorf("%v: %d, %s %s", args, code, &out, &wrong)
		}
	}
}

func TestAStandbyAndAPoolerAreOfAPostgreSQLOfYourOwn(t *testing.T) {
	for _, name := range []string{"DATABASE_READ_URL", "DATABASE_DIRECT_URL"} {
		_, err := ReadConfig(map[string]string{name: "postgres://desk@db2/debitdesk"})
		if err == nil || !strings.Contains(err.Error(), name+": is for a PostgreSQL of your own") {
			t.Errorf("got %v", err)
		}
	}
	c, err := ReadConfig(map[string]string{"DATABASE_URL": "postgres://h:6432/d", "DATABASE_DIRECT_URL": "postgres://h/d"})
	if err != nil || c.SessionURL() != "postgres://h/d" {
		t.Errorf("got %q, %v", c.SessionURL(), err)
	}
}

func TestLiveModeRefusesWhatIsFitForASandbox(t *testing.T) {
	live := map[string]string{"DEBITDESK_MODE": "live", "DEBITDESK_KEYS": "keys.json",
		"DEBITDESK_BASE_URL": "https://desk.example", "DEBITDESK_BANK": "files:bank"}
	if _, err := ReadConfig(live); err != nil {
		t.Fatalf("a complete live environment is refused: %v", err)
	}
	for _, one := range [][2]string{{"DEBITDESK_KEYS", ""}, {"DEBITDESK_KEYS", "./data/keys.json"},
		{"DEBITDESK_BASE_URL", ""},
		{"DEBITDESK_BASE_URL", "http://desk.example"}, {"DEBITDESK_BANK", "sandbox"}, {"DEBITDESK_BANK", ""}} {
		name, value := one[0], one[1]
		changed := map[string]string{}
		for k, v := range live {
			changed[k] = v
		}
		changed[name] = value
		if _, err := ReadConfig(changed); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%q: got %v", name, value, err)
		}
	}
}

func TestThePublicAddressFollowsTheListener(t *testing.T) {
	for _, one := range []struct{ base, listening, want string }{
		{"", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "0.0.0.0:80", "http://localhost:80"},
		{"", "[::]:8080", "http://localhost:8080"},
		{"", ":8080", "http://localhost:8080"},
		{"https://desk.example", "127.0.0.1:8080", "https://desk.example"},
	} {
		if got := (Config{BaseURL: one.base}).PublicURL(one.listening); got != one.want {
			t.Errorf("%q on %q: got %q, want %q", one.base, one.listening, got, one.want)
		}
	}
}

func TestWhatARateLimitMayBe(t *testing.T) {
	for text, want := range map[string]handlers.Rate{"": {PerSecond: 1500, Burst: 30000}, "0": {},
		"0.5:1": {PerSecond: 0.5, Burst: 1}, "1000000:10000000": {PerSecond: 1e6, Burst: 1e7}} {
		c, err := ReadConfig(map[string]string{"DEBITDESK_RATE_LIMIT": text})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := c.limits(); err != nil || got.Calls != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"1", "1:", ":1", "0:1", "1:0", "-1:1", "1:-1", "NaN:1", "Inf:1", "1:1:1", "1000001:1",
		"1:10000001", "off"} {
		if _, err := ReadConfig(map[string]string{"DEBITDESK_RATE_LIMIT": text}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
