package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"debitdesk/models/database/postgres"
)

// packaging is a file of those that packages are made from.
func packaging(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../.make/release", name))
	must(t, err)
	return string(text)
}

func TestTheManualPageNamesEveryCommandOptionAndSetting(t *testing.T) {
	t.Parallel()
	model, err := commandModel()
	must(t, err)
	var b bytes.Buffer
	must(t, manPage(&b, model))
	page := b.String()
	for _, leaf := range model.Leaves(true) {
		if !strings.Contains(page, ".SS "+roff("debitdesk "+leaf.Path())+"\n") {
			t.Errorf("it does not name %q", leaf.Path())
		}
		for _, f := range ownFlags(leaf) {
			if !strings.Contains(page, `.B \-\-`+roff(f.Name)) {
				t.Errorf("%s: it does not name --%s", leaf.Path(), f.Name)
			}
		}
	}
	for _, v := range variablesOf(reflect.TypeFor[Config](), "") {
		if !strings.Contains(page, ".B "+roff(v.name)+"\n") {
			t.Errorf("it does not name %s", v.name)
		}
	}
	requests := regexp.MustCompile(`^\.(TH|SH|SS|TP|B|I)( |$)`)
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") && !requests.MatchString(strings.TrimSpace(line)) || strings.HasPrefix(line, "'") {
			t.Errorf("a request that is none: %q", line)
		}
	}
}

func TestAShellCompletesCommandsAndTheirOptions(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	got := typed(t, nil, "", "completion", "bash")
	if got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for typedSoFar, want := range map[string]string{"debitdesk doc": "doctor", "debitdesk bank ch": "check",
		"debitdesk bank check --to": "--to-outbox", "debitdesk support bundle --": "--log --help"} {
		words := strings.Fields(typedSoFar)
		script := got.out + "COMP_WORDS=(" + strings.Join(words, " ") + `); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_debitdesk; echo "${COMPREPLY[*]}"`
		out, err := exec.Command(bash, "-c", script).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q completes to %q, want %q (%v)", typedSoFar, out, want, err)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		if got := typed(t, nil, "", "completion", shell); got.code != exitOK || !strings.Contains(got.out, "doctor") {
			t.Errorf("%s: %+v", shell, got)
		}
	}
}

func TestPackagesSetOnlyWhatTheProgramReads(t *testing.T) {
	t.Parallel()
	known := append(settings(), postgres.EnvBinaries)
	names := regexp.MustCompile(`\b(?:DEBITDESK|DATABASE)_[A-Z_]*[A-Z]\b`)
	notOurs := []string{"DEBITDESK_IMAGE", "DEBITDESK_PORT"} // of the compose file itself
	for _, name := range []string{"files/debitdesk.env", "compose/debitdesk.env", "compose/compose.yaml", "image.go",
		"helm/debitdesk/values.yaml", "helm/debitdesk/templates/_helpers.tpl", "operators/alerts.yml"} {
		found := names.FindAllString(packaging(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s names no setting", name)
		}
		for _, one := range found {
			if !slices.Contains(known, one) && !slices.Contains(notOurs, one) {
				t.Errorf("%s speaks of %s, which the program does not read", name, one)
			}
		}
	}
	line := regexp.MustCompile(`^(#.*|[A-Z_]+=\S+|)$`)
	for one := range strings.Lines(packaging(t, "files/debitdesk.env")) {
		if !line.MatchString(strings.TrimRight(one, "\n")) {
			t.Errorf("neither a setting nor a remark: %q", one)
		}
	}
	defaults := map[string]string{}
	for one := range strings.Lines(packaging(t, "files/debitdesk.env")) {
		if name, value, is := strings.Cut(strings.TrimSpace(one), "="); is && !strings.HasPrefix(name, "#") {
			defaults[name] = value
		}
	}
	if _, err := ReadConfig(defaults); err != nil || defaults["DEBITDESK_DATA"] != "/var/lib/debitdesk" {
		t.Errorf("the settings of a fresh package: %v (%v)", defaults, err)
	}
}

// The two services differ in what they run, and in nothing that keeps them in.
func TestServicesOfPackagesRunInOneSandbox(t *testing.T) {
	t.Parallel()
	settings := func(name string) map[string]string {
		all, section := map[string]string{}, ""
		for line := range strings.Lines(packaging(t, "files/"+name)) {
			line = strings.TrimSpace(line)
			switch key, value, is := strings.Cut(line, "="); {
			case line == "" || strings.HasPrefix(line, "#"):
			case regexp.MustCompile(`^\[(Unit|Service|Install)\]$`).MatchString(line):
				section = line
			case is && section != "" && regexp.MustCompile(`^[A-Z][A-Za-z]+$`).MatchString(key):
				all[section+key] += value + "\n"
			default:
				t.Errorf("%s: %q is no setting of a unit", name, line)
			}
		}
		return all
	}
	serve, work := settings("debitdesk.service"), settings("debitdesk-work.service")
	if serve["[Service]ExecStart"] != "/usr/bin/debitdesk serve\n" ||
		work["[Service]ExecStart"] != "/usr/bin/debitdesk work\n" {
		t.Errorf("they run %q and %q", serve["[Service]ExecStart"], work["[Service]ExecStart"])
	}
	for key, want := range map[string]string{"User": "debitdesk", "ProtectSystem": "strict", "NoNewPrivileges": "yes",
		"CapabilityBoundingSet": "", "KillMode": "mixed", "StateDirectory": "debitdesk", "UMask": "0077",
		"EnvironmentFile": "/etc/debitdesk/debitdesk.env"} {
		if got := serve["[Service]"+key]; got != want+"\n" {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	for _, all := range []map[string]string{serve, work} {
		delete(all, "[Service]ExecStart")
		delete(all, "[Unit]Description")
	}
	if !reflect.DeepEqual(serve, work) {
		t.Errorf("they differ:\n%v\n%v", serve, work)
	}
}

func TestRemovingAPackageKeepsTheDataAndSaysWhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"postrm.deb.sh", "postrm.rpm.sh"} {
		text := packaging(t, "files/"+name)
		if !strings.Contains(text, "kept in /var/lib/debitdesk") {
			t.Errorf("%s does not say where the data is", name)
		}
		if regexp.MustCompile(`\b(rm|rmdir|userdel|deluser)\b`).MatchString(text) {
			t.Errorf("%s removes something", name)
		}
	}
}

func TestTheBillOfMaterialsNamesEveryModuleAndEveryFileOfOthers(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("go", "run", "./.make/sbom", "-version", "1.2.3", "-epoch", "0")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	must(t, err)
	var bom struct {
		SpecVersion, SerialNumber string
		Components                []struct {
			Name, Version, PURL string
			Licenses, Hashes    []any
			Properties          []struct{ Name, Value string }
		}
	}
	must(t, json.Unmarshal(out, &bom))
	there := map[string]string{}
	for _, c := range bom.Components {
		there[c.Name] = c.Version
		if len(c.Licenses) != 1 {
			t.Errorf("%s has no licence", c.Name)
		}
		if len(c.Hashes)+len(c.Properties) == 0 && c.Name != "std" {
			t.Errorf("%s has no sum", c.Name)
		}
	}
	mod, err := os.ReadFile("../../go.mod")
	must(t, err)
	modules := regexp.MustCompile(`(?m)^\t(\S+\.\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1)
	if len(modules) < 90 {
		t.Errorf("only %d modules", len(modules))
	}
	for _, m := range modules {
		if there[m[1]] != m[2] {
			t.Errorf("%s %s is there as %q", m[1], m[2], there[m[1]])
		}
	}
	for _, name := range []string{"std", "htmx.org", "htmx-ext-sse", "inter-latin", "inter-latin-ext", "axe-core"} {
		if _, named := there[name]; !named {
			t.Errorf("%s is not there", name)
		}
	}
	for _, pattern := range []string{"../../static/font/*.woff2", "../../static/js/*.min.js"} {
		files, err := filepath.Glob(pattern)
		must(t, err)
		for _, file := range files {
			if !bytes.Contains(out, []byte(`"`+strings.TrimPrefix(file, "../../")+`"`)) {
				t.Errorf("%s is not there", file)
			}
		}
	}
}

func TestTheChangelogHasEachReleaseInOrder(t *testing.T) {
	t.Parallel()
	text := packaging(t, "CHANGELOG.md")
	form := regexp.MustCompile(`^(Next|\d+\.\d+\.\d+(-[0-9A-Za-z.]+)? \(\d{4}-\d\d-\d\d\))$`)
	var named []string
	for i, entry := range strings.Split(text, "\n## ")[1:] {
		title, body, _ := strings.Cut(entry, "\n")
		if !form.MatchString(title) || title == "Next" && i > 0 {
			t.Errorf("%q is neither Next nor of the form 1.2.3 (2026-11-26)", title)
		}
		if !strings.Contains(body, "For operators:") {
			t.Errorf("%s does not say what operators must do", title)
		}
		named = append(named, "v"+strings.Fields(title)[0])
	}
	tags, err := exec.Command("git", "tag", "--list", "v[0-9]*").Output()
	if err != nil {
		t.Log("no git: tags are not compared")
	}
	for tag := range strings.FieldsSeq(string(tags)) {
		if !slices.Contains(named, tag) {
			t.Errorf("%s has no entry", tag)
		}
	}
}

// What dashboards and alerts ask for is what /metrics tells.
func TestDashboardAndAlertsNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	told := make(chan *prometheus.Desc, 100)
	(&business{}).Describe(told)
	close(told)
	known := map[string]bool{"debitdesk_http_requests_total": true, "debitdesk_http_request_seconds_bucket": true,
		"debitdesk_request_log_dropped_total": true} // of the edge; the test of the manual's table compares those
	for d := range told {
		known[regexp.MustCompile(`debitdesk_\w+`).FindString(d.String())] = true
	}
	named := map[string]bool{}
	var dashboard map[string]any
	must(t, json.Unmarshal([]byte(packaging(t, "operators/dashboard.json")), &dashboard))
	for _, name := range []string{"operators/dashboard.json", "operators/alerts.yml"} {
		for _, one := range regexp.MustCompile(`\bdebitdesk_\w+`).FindAllString(packaging(t, name), -1) {
			named[one] = true
			if !known[one] {
				t.Errorf("%s asks for %s, which there is not", name, one)
			}
		}
	}
	for one := range known {
		if !named[one] {
			t.Errorf("neither asks for %s", one)
		}
	}
}
