package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"
)

// vendored are files of others that are in this tree. Where the file tells its version, that is read from it.
var vendored = []struct {
	file, license string // the file, and its licence beside it
	name, version string
	tells         string // a pattern of the version in the file
	source        string
	scope         string
}{
	{file: "static/js/htmx.min.js", license: "static/js/htmx.LICENSE.txt", name: "htmx.org",
		tells: `version:"([0-9.]+)"`, source: "https://htmx.org/", scope: required},
	{file: "static/js/htmx-sse.min.js", license: "static/js/htmx-sse.LICENSE.txt", name: "htmx-ext-sse",
		version: "2.2.3", source: "https://htmx.org/extensions/sse/", scope: required},
	{file: "static/font/inter-latin.woff2", license: "static/font/inter.LICENSE.txt", name: "inter-latin",
		source: "https://rsms.me/inter/", scope: required},
	{file: "static/font/inter-latin-ext.woff2", license: "static/font/inter.LICENSE.txt", name: "inter-latin-ext",
		source: "https://rsms.me/inter/", scope: required},
	{file: "cmd/debitdesk/testdata/axe/axe.min.js", license: "cmd/debitdesk/testdata/axe/LICENSE.txt", name: "axe-core",
		tells: `axe v([0-9.]+)`, source: "https://github.com/dequelabs/axe-core", scope: excluded},
}

func embeds() (parts []part, err error) {
	for _, v := range vendored {
		content, err := os.ReadFile(v.file)
		if err != nil {
			return nil, err
		}
		license, err := os.ReadFile(v.license)
		if err != nil {
			return nil, err
		}
		if v.tells != "" {
			m := regexp.MustCompile(v.tells).FindSubmatch(content)
			if m == nil {
				return nil, fmt.Errorf("%s does not tell its version", v.file)
			}
			v.version = string(m[1])
		}
		sum := sha256.Sum256(content)
		p := part{kind: "file", name: v.name, version: v.version, scope: v.scope, sha256: hex.EncodeToString(sum[:]),
			license: spdx(string(license)), text: string(license), source: v.source, remark: v.file}
		if v.version != "" {
			p.kind, p.purl = "library", "pkg:npm/"+v.name+"@"+v.version
		}
		parts = append(parts, p)
	}
	return parts, nil
}
