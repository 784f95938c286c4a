package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nonroot is the user in the image; it has no name that another image gives it.
const nonroot = 65532

// image writes oci/, one image for each kind of machine under one index. In it are the program, the certificates that
// it trusts and two folders: no shell, no root, no PostgreSQL.
func (r *release) image() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range arches {
		img, err := r.imageFor(arch)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	named := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index, Descriptor: v1.Descriptor{Annotations: map[string]string{
			"org.opencontainers.image.ref.name": r.version}}})
	_, err := layout.Write(filepath.Join(r.dist, "oci"), named)
	return err
}

func (r *release) imageFor(arch string) (v1.Image, error) {
	content, err := r.layer(arch)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	at := v1.Time{Time: r.at}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.Append(img, mutate.Addendum{Layer: layer,
		History: v1.History{Created: at, CreatedBy: "make release"}}); err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, &v1.ConfigFile{Architecture: arch, OS: "linux", Created: at,
		RootFS: must(img.ConfigFile()).RootFS, History: must(img.ConfigFile()).History,
		Config: v1.Config{User: "65532:65532", WorkingDir: "/var/lib/debitdesk", StopSignal: "SIGTERM",
			Entrypoint: []string{"/usr/bin/debitdesk"}, Cmd: []string{"serve"},
			Env: []string{"PATH=/usr/bin", "DEBITDESK_DATA=/var/lib/debitdesk", "DEBITDESK_LISTEN=0.0.0.0:8080",
				"DEBITDESK_LOG_FORMAT=json", "DEBITDESK_DRAIN=10s"},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}}, Volumes: map[string]struct{}{"/var/lib/debitdesk": {}},
			Labels: map[string]string{"org.opencontainers.image.title": "debitdesk",
				"org.opencontainers.image.version": r.version, "org.opencontainers.image.revision": r.commit,
				"org.opencontainers.image.licenses": "Apache-2.0"}}})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// layer is the whole of the image.
func (r *release) layer(arch string) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	folder := func(name string, mode int64, owner int) error {
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: mode, Uid: owner, Gid: owner,
			ModTime: r.at, Format: tar.FormatPAX})
	}
	put := func(name string, mode int64, content []byte) error {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: int64(len(content)),
			ModTime: r.at, Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err := t.Write(content)
		return err
	}
	for _, one := range []struct {
		name  string
		mode  int64
		owner int
	}{{"etc/", 0o755, 0}, {"etc/ssl/", 0o755, 0}, {"etc/ssl/certs/", 0o755, 0}, {"usr/", 0o755, 0},
		{"usr/bin/", 0o755, 0}, {"usr/share/", 0o755, 0}, {"usr/share/doc/", 0o755, 0},
		{"usr/share/doc/debitdesk/", 0o755, 0}, {"tmp/", 0o1777, 0}, {"var/", 0o755, 0}, {"var/lib/", 0o755, 0},
		{"var/lib/debitdesk/", 0o700, nonroot}} {
		if err := folder(one.name, one.mode, one.owner); err != nil {
			return nil, err
		}
	}
	for _, f := range []file{{to: "usr/bin/debitdesk", source: r.programs[arch], mode: 0o755},
		{to: "usr/share/doc/debitdesk/LICENSE", source: filepath.Join(r.tree, "LICENSE"), mode: 0o644},
		{to: "usr/share/doc/debitdesk/NOTICES.txt", source: filepath.Join(r.work, "NOTICES.txt"), mode: 0o644}} {
		content, err := os.ReadFile(f.source)
		if err != nil {
			return nil, err
		}
		if err := put(f.to, int64(f.mode), content); err != nil {
			return nil, err
		}
	}
	for name, content := range map[string][]byte{"etc/ssl/certs/ca-certificates.crt": roots()} {
		if err := put(name, 0o644, content); err != nil {
			return nil, err
		}
	}
	if err := put("etc/passwd", 0o644,
		[]byte("debitdesk:x:65532:65532:Debitdesk:/var/lib/debitdesk:/sbin/nologin\n")); err != nil {
		return nil, err
	}
	return b.Bytes(), t.Close()
}

// roots are Mozilla's certificates. One that is trusted under a condition alone is left out: a file cannot say it.
func roots() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return b.Bytes()
}
