package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var releaseTag = regexp.MustCompile(`^v(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?)$`)

// identify tells version, commit and time: from git, or from VERSION and SOURCE_DATE_EPOCH, which win.
func (r *release) identify() error {
	r.commit = cmp.Or(os.Getenv("DEBITDESK_COMMIT"), r.git("rev-parse", "HEAD"))
	r.version = os.Getenv("VERSION")
	if r.version == "" && r.commit != "" {
		r.version = "0.0.0-dev+" + r.commit[:12]
		for tag := range strings.FieldsSeq(r.git("tag", "--points-at", "HEAD", "--sort=-v:refname")) {
			if m := releaseTag.FindStringSubmatch(tag); m != nil {
				r.version = m[1]
				break
			}
		}
		if r.git("status", "--porcelain", "--untracked-files=no") != "" {
			r.version = "0.0.0-dev+" + r.commit[:12] + ".changed"
		}
	}
	epoch := cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), r.git("log", "-1", "--format=%ct"))
	if r.version == "" || epoch == "" {
		return errors.New("this is no git checkout: set VERSION and SOURCE_DATE_EPOCH")
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$`).MatchString(r.version) {
		return fmt.Errorf("VERSION %q is not of the form 1.2.3", r.version)
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r.at = time.Unix(seconds, 0).UTC()
	return nil
}

// git answers a question about the commit; without git there is no answer.
func (r *release) git(args ...string) string {
	out, err := exec.Command("git", append([]string{"-C", r.tree}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// isDev tells a build between releases.
func (r *release) isDev() bool { return strings.HasPrefix(r.version, "0.0.0-dev") }

// packaged is the version in the order of dpkg and rpm, where ~ sorts before the release.
func (r *release) packaged() string { return strings.Replace(r.version, "-", "~", 1) }

// checkChangelog wants an entry for what is released.
func (r *release) checkChangelog() error {
	text, err := os.ReadFile(r.from("CHANGELOG.md"))
	if err != nil || r.isDev() {
		return err
	}
	if !strings.Contains(string(text), "\n## "+r.version+" (") {
		return fmt.Errorf("CHANGELOG.md has no entry of the form: ## %s (%s)", r.version, r.at.Format(time.DateOnly))
	}
	return nil
}
