package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

// build makes the programs. Nothing of this machine is in them: no path, no build id, no setting of its environment.
func (r *release) build() error {
	for _, arch := range arches {
		out := filepath.Join(r.work, "debitdesk-"+arch)
		if err := r.compile(out, arch); err != nil {
			return err
		}
		r.programs[arch] = out
	}
	return nil
}

// compile builds with the names of time zones inside, because an image has none.
func (r *release) compile(out, arch string) error {
	_, err := r.call([]string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0"},
		"go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-tags=timetzdata",
		"-ldflags=-s -w -buildid= -X main.released="+r.version, "-o", out, "./cmd/debitdesk")
	return err
}

// call runs a program in the source, with a plain environment for the go command.
func (r *release) call(environment []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.tree
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "LC_ALL=C")
	cmd.Env = append(cmd.Env, environment...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), args[0], err, said.Bytes())
	}
	return out, nil
}

// describe writes what the program says of itself, and what it is made from.
func (r *release) describe() error {
	here := filepath.Join(r.work, "here")
	if runtime.GOOS == "linux" && r.programs[runtime.GOARCH] != "" {
		here = r.programs[runtime.GOARCH]
	} else if _, err := r.call([]string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-X main.released="+r.version, "-o", here, "./cmd/debitdesk"); err != nil {
		return err
	}
	for name, args := range map[string][]string{
		"debitdesk.1":    {"man"},
		"debitdesk.bash": {"completion", "bash"},
		"_debitdesk":     {"completion", "zsh"},
		"debitdesk.fish": {"completion", "fish"},
	} {
		text, err := r.call(nil, here, args...)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.work, name), text, 0o644); err != nil {
			return err
		}
	}
	bom := []string{"run", "./.make/sbom", "-version", r.version, "-epoch", strconv.FormatInt(r.at.Unix(), 10),
		"-program", r.programs[arches[0]]}
	for name, args := range map[string][]string{
		filepath.Join(r.dist, "sbom.cdx.json"): bom,
		filepath.Join(r.work, "NOTICES.txt"):   append(bom, "-notices"),
	} {
		text, err := r.call(nil, "go", args...)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
