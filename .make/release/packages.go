package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers itself
)

const (
	maintainer = "Debitdesk <release@desk.example>"
	summary    = "desk for South African debit orders"
	about      = `Debitdesk collects money by South African debit order, by EFT and by
DebiCheck: a dashboard for people, a JSON API for programs, and the exchange
of files with a bank. It runs a PostgreSQL of its own, or uses yours.`
)

// packages makes the .deb and the .rpm for each kind of machine.
func (r *release) packages() error {
	for _, arch := range arches {
		for _, format := range []string{"deb", "rpm"} {
			if err := r.pack(format, arch); err != nil {
				return fmt.Errorf("%s for %s: %w", format, arch, err)
			}
		}
	}
	return nil
}

func (r *release) pack(format, arch string) error {
	list, err := r.installed(arch)
	if err != nil {
		return err
	}
	if format == "deb" {
		if list, err = r.debianOnly(list); err != nil {
			return err
		}
	}
	info := r.info(format, arch)
	for _, f := range list {
		c := &files.Content{Source: f.source, Destination: f.to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: r.at}}
		switch document := strings.HasPrefix(f.to, "/usr/share/doc/") || strings.HasPrefix(f.to, "/usr/share/man/"); {
		case f.settings:
			c.Type = files.TypeConfigNoReplace
		case format == "rpm" && document:
			c.Type = files.TypeRPMDoc
		}
		info.Contents = append(info.Contents, c)
	}
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.dist, r.fileName(arch)+"."+format))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := packager.Package(info, out); err != nil {
		return err
	}
	return out.Close()
}

// info is what the package says of itself. A package of Debian brings PostgreSQL's programs with it; the cluster that
// Debian makes beside them is not used.
func (r *release) info(format, arch string) *nfpm.Info {
	script := func(name string) string { return r.from("files/" + name + "." + format + ".sh") }
	info := &nfpm.Info{Name: "debitdesk", Arch: arch, Platform: "linux", Version: r.packaged(), VersionSchema: "none",
		Release: "1", Section: "admin", Priority: "optional", Maintainer: maintainer, Vendor: "Debitdesk",
		License: "Apache-2.0", Description: summary + "\n" + about, MTime: r.at,
		Overridables: nfpm.Overridables{
			Depends: []string{"postgresql (>= 15)", "passwd"},
			Scripts: nfpm.Scripts{PostInstall: script("postinst"), PreRemove: script("prerm"), PostRemove: script("postrm")},
		}}
	info.Deb.Compression = "gzip"
	if format == "rpm" {
		info.Depends = []string{"postgresql-server >= 15", "util-linux", "shadow-utils"}
		info.RPM.BuildHost = "localhost"
		info.RPM.Summary = "The desk for South African debit orders"
		info.RPM.Group = "Applications/Business"
		info.RPM.Compression = "gzip"
		info.Description = about
	}
	return info
}

// debianOnly adds what Debian's rules ask for.
func (r *release) debianOnly(list []file) ([]file, error) {
	text, err := os.ReadFile(r.from("CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	log, err := r.debianChangelog(string(text))
	if err != nil {
		return nil, err
	}
	packed, err := zipped([]byte(log))
	if err != nil {
		return nil, err
	}
	return r.placed(append(list,
		file{to: "/usr/share/doc/debitdesk/changelog.Debian.gz", content: packed},
		file{to: "/usr/share/lintian/overrides/debitdesk", source: r.from("files/lintian-overrides")}))
}

// fileName is the name that archives and packages share.
func (r *release) fileName(arch string) string { return "debitdesk_" + r.version + "_linux_" + arch }
