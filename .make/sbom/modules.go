package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is something of others that the program is made from.
type part struct {
	kind           string // library, file, framework
	name, version  string
	purl           string
	scope          string // required: in the program; excluded: for tests and generation alone
	sum            string // of a module, as in go.sum
	sha256         string // of a file
	license        string // its SPDX id; empty when the text is not one that we know
	text           string // the licence itself
	source, remark string
}

// Scopes of CycloneDX.
const (
	required = "required"
	excluded = "excluded"
)

// module is what the go command tells of one.
type module struct {
	Path, Version, Dir, Sum string
	Main                    bool
}

// modules are those of go.mod, with the standard library first.
func modules(program string) ([]part, error) {
	inside, toolchain, err := linked(program)
	if err != nil {
		return nil, err
	}
	named, err := requirements()
	if err != nil {
		return nil, err
	}
	// Those for tests of others alone are not needed for a build, so that they may not have been fetched yet.
	out, err := goCommand(append([]string{"mod", "download", "-json"}, named...)...)
	if err != nil {
		return nil, err
	}
	sums, err := goSum()
	if err != nil {
		return nil, err
	}
	parts := []part{{kind: "library", name: "std", version: toolchain, purl: "pkg:golang/std@" + toolchain,
		scope: required, license: "BSD-3-Clause", text: goLicense(), source: "https://go.dev/"}}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var m module
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return parts, nil
		} else if err != nil {
			return nil, err
		}
		p := part{kind: "library", name: m.Path, version: m.Version, purl: "pkg:golang/" + m.Path + "@" + m.Version,
			scope: required, sum: sums[m.Path+" "+m.Version], source: "https://pkg.go.dev/" + m.Path + "@" + m.Version}
		if inside != nil && !inside[m.Path] {
			p.scope = excluded
		}
		p.text = licenseIn(m.Dir)
		p.license = spdx(p.text)
		parts = append(parts, p)
	}
}

// linked are the modules in a program, and the version of Go that built it; nil without a program.
func linked(program string) (map[string]bool, string, error) {
	if program == "" {
		version, err := goCommand("env", "GOVERSION")
		return nil, strings.TrimPrefix(strings.TrimSpace(version), "go"), err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, "", err
	}
	inside := map[string]bool{}
	for _, dep := range info.Deps {
		inside[dep.Path] = true
	}
	return inside, strings.TrimPrefix(info.GoVersion, "go"), nil
}

// requirements are the paths that go.mod names.
func requirements() (paths []string, err error) {
	out, err := goCommand("mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(out), &mod); err != nil {
		return nil, err
	}
	for _, r := range mod.Require {
		paths = append(paths, r.Path)
	}
	slices.Sort(paths)
	return paths, nil
}

func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return string(out), nil
}

// goSum is go.sum: the sum of each module, by its path and version.
func goSum() (map[string]string, error) {
	text, err := os.ReadFile("go.sum")
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 {
			sums[f[0]+" "+f[1]] = f[2]
		}
	}
	return sums, err
}

func goLicense() string {
	root, err := goCommand("env", "GOROOT")
	if err != nil {
		return ""
	}
	return licenseIn(strings.TrimSpace(root))
}

// licenseNames are what the file is called, in the order that they are looked for.
var licenseNames = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying|copyright)([.-].*)?$`)

// licenseIn reads the licence, and the notice that Apache's asks to pass on.
func licenseIn(dir string) string {
	if dir == "" {
		return ""
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var texts []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenseNames.MatchString(e.Name()) && !strings.EqualFold(e.Name(), "NOTICE") {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	return strings.Join(texts, "\n\n")
}

// spdx tells a licence by sentences that it alone has.
func spdx(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	has := func(words string) bool { return strings.Contains(text, words) }
	switch {
	case has("Apache License") && has("Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License") && has("2.0"):
		return "MPL-2.0"
	case has("SIL OPEN FONT LICENSE Version 1.1"):
		return "OFL-1.1"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("Permission to use, copy, modify, and/or distribute this software for any purpose") ||
		has("Permission to use, copy, modify, and distribute this software for any purpose"):
		if has("provided that the above copyright notice") {
			return "ISC"
		}
		return "0BSD"
	case has("Redistribution and use in source and binary forms"):
		if has("Neither the name") || has("names of its contributors") {
			return "BSD-3-Clause"
		}
		return "BSD-2-Clause"
	case has("This is free and unencumbered software released into the public domain"):
		return "Unlicense"
	}
	return ""
}
