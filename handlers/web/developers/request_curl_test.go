package developers

import (
	"os/exec"
	"strings"
	"testing"

	"debitdesk/models/requestlog"
)

// shell runs a command whose curl shows what it was given.
func shell(t *testing.T, command string, set ...string) (string, error) {
	t.Helper()
	sh := exec.CommandContext(t.Context(), "sh", "-c", `curl() { printf '%s|' "$@"; }`+"\n"+command)
	sh.Env = append([]string{"DEBITDESK_TOKEN=t"}, set...)
	out, err := sh.CombinedOutput()
	return string(out), err
}

func TestACopiedCallStopsUntilWhatIsMaskedIsSet(t *testing.T) {
	for _, c := range []struct {
		name string
		e    requestlog.Entry
		set  []string
		want string
	}{
		{"a body", requestlog.Entry{Method: "PATCH", Path: "/api/v1/clients/x/",
			Request: `{"full_name":"O'Neil","phone":"•••• 2222","bank_account":"••••","notes":"a \"b\" •••• 1234"}`},
			[]string{"MASKED_PHONE=0821232222", "MASKED_BANK_ACCOUNT=62$1", "MASKED_NOTES=n"},
			`{"full_name":"O'Neil","phone":"0821232222","bank_account":"62$1","notes":"n"}`},
		{"the same name twice", requestlog.Entry{Method: "POST", Path: "/api/v1/x/",
			Request: `{"a":[{"phone":"•••• 1"},{"phone":"•••• 2"}],"l":["•••• 3"]}`},
			[]string{"MASKED_PHONE=1", "MASKED_PHONE_2=2", "MASKED_VALUE=3"}, `{"a":[{"phone":"1"},{"phone":"2"}],"l":["3"]}`},
		{"a form", requestlog.Entry{Method: "PATCH", Path: "/api/v1/x/",
			Request: "send_receipt=true&subscription_debtor_id_number=••••"},
			[]string{"MASKED_SUBSCRIPTION_DEBTOR_ID_NUMBER=850101"}, "send_receipt=true&subscription_debtor_id_number=850101"},
		{"the address", requestlog.Entry{Method: "GET", Path: "/api/v1/clients/••••/", Query: "q=••••&limit=5"},
			[]string{"MASKED_ID=1", "MASKED_Q=thandi"}, "https://d/api/v1/clients/1/?q=thandi&limit=5"},
		{"a body that was not kept", requestlog.Entry{Method: "POST", Path: "/api/v1/x/", Request: "(20000 bytes, not kept)"},
			[]string{"MASKED_BODY={}"}, "-d|{}|"},
		{"the beginning of one", requestlog.Entry{Method: "POST", Path: "/api/v1/x/", Request: `{"a":1…`},
			[]string{"MASKED_BODY={}"}, "-d|{}|"},
		{"nothing masked", requestlog.Entry{Method: "POST", Path: "/api/v1/x/", Request: `{"a":"$HOME"}`}, nil,
			`{"a":"$HOME"}`},
	} {
		command := curlOf(c.e, "https://d")
		if out, err := shell(t, command); (err == nil) != (c.set == nil) || c.set != nil && strings.Contains(out, "|") {
			t.Errorf("%s: it runs without its values:\n%s\n%s", c.name, command, out)
		}
		if out, err := shell(t, command, c.set...); err != nil || !strings.Contains(out, c.want) ||
			strings.Contains(out, "•") {
			t.Errorf("%s: %v\n%s\n%s", c.name, err, command, out)
		}
	}
}
