package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// archives are for machines without dpkg or rpm.
func (r *release) archives() error {
	for _, arch := range arches {
		list := []file{
			{to: "debitdesk", source: r.programs[arch], mode: 0o755},
			{to: "LICENSE", source: filepath.Join(r.tree, "LICENSE")},
			{to: "NOTICES.txt", source: filepath.Join(r.work, "NOTICES.txt")},
			{to: "CHANGELOG.md", source: r.from("CHANGELOG.md")},
			{to: "man/debitdesk.1", source: filepath.Join(r.work, "debitdesk.1")},
			{to: "man/debitdeskctl.8", source: r.from("files/debitdeskctl.8")},
			{to: "completions/debitdesk.bash", source: filepath.Join(r.work, "debitdesk.bash")},
			{to: "completions/_debitdesk", source: filepath.Join(r.work, "_debitdesk")},
			{to: "completions/debitdesk.fish", source: filepath.Join(r.work, "debitdesk.fish")},
			{to: "debitdeskctl", source: r.from("files/debitdeskctl"), mode: 0o755},
			{to: "debitdesk.env", source: r.from("files/debitdesk.env"), mode: 0o640},
		}
		for _, name := range []string{"debitdesk.service", "debitdesk-work.service", "debitdesk.sysusers",
			"debitdesk.tmpfiles"} {
			list = append(list, file{to: "systemd/" + name, source: r.from("files/" + name)})
		}
		for _, name := range []string{"dashboard.json", "alerts.yml"} {
			list = append(list, file{to: "operators/" + name, source: r.from("operators/" + name)})
		}
		if err := r.tarball(r.fileName(arch)+".tar.gz", r.fileName(arch), list); err != nil {
			return err
		}
	}
	return nil
}

// tarball writes files in the order of their names, all of them root's and of the time of the commit.
func (r *release) tarball(name, folder string, list []file) error {
	list, err := r.placed(list)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b file) int { return cmp.Compare(a.to, b.to) })
	out, err := os.Create(filepath.Join(r.dist, name))
	if err != nil {
		return err
	}
	defer out.Close()
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := r.writeTar(z, folder+"/", list); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return out.Close()
}

func (r *release) writeTar(to io.Writer, folder string, list []file) error {
	t := tar.NewWriter(to)
	for _, f := range list {
		content, err := os.ReadFile(f.source)
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: folder + f.to, Size: int64(len(content)),
			Mode: int64(f.mode), ModTime: r.at, Uname: "root", Gname: "root", Format: tar.FormatPAX}); err != nil {
			return err
		}
		if _, err := t.Write(content); err != nil {
			return err
		}
	}
	return t.Close()
}

// chart packs the Helm chart with the version of the release.
func (r *release) chart() error {
	root := r.from("helm/debitdesk")
	var list []file
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if name == "Chart.yaml" {
			text = []byte(strings.ReplaceAll(string(text), "0.0.0-dev", r.version))
		}
		list = append(list, file{to: name, content: text})
		return err
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.dist, "helm"), 0o755); err != nil {
		return err
	}
	return r.tarball("helm/debitdesk-"+r.version+".tgz", "debitdesk", list)
}

// beside copies what is published as it is.
func (r *release) beside() error {
	for to, from := range map[string]string{
		"CHANGELOG.md":             "CHANGELOG.md",
		"compose/compose.yaml":     "compose/compose.yaml",
		"compose/debitdesk.env":    "compose/debitdesk.env",
		"operators/dashboard.json": "operators/dashboard.json",
		"operators/alerts.yml":     "operators/alerts.yml",
	} {
		text, err := os.ReadFile(r.from(from))
		if err != nil {
			return err
		}
		out := filepath.Join(r.dist, to)
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(out, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
