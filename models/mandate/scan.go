package mandate

import (
	"bytes"
	"crypto/sha256"
	"path"
	"strings"
)

// MaxScan is the largest scan of a mandate, in bytes (ours).
const MaxScan = 5 << 20

// scanKinds are what a scan may be, by its first bytes: what a file is called proves nothing.
var scanKinds = []struct{ start, kind, ending string }{
	{"%PDF-", "application/pdf", ".pdf"},
	{"\x89PNG\r\n\x1a\n", "image/png", ".png"},
	{"\xff\xd8\xff", "image/jpeg", ".jpg"},
}

// ScanOf is a file as evidence of a mandate; false when it is no PDF, PNG or JPEG. Its size is judged before.
func ScanOf(name string, content []byte) (e Evidence, ok bool) {
	for _, k := range scanKinds {
		if bytes.HasPrefix(content, []byte(k.start)) {
			digest := sha256.Sum256(content)
			return Evidence{Name: fileName(name, k.ending), ContentType: k.kind, SizeBytes: int64(len(content)),
				SHA256: digest[:], Content: content}, true
		}
	}
	return e, false
}

// fileName keeps what a person called the file, with the ending of what it is.
func fileName(given, ending string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"\/:*?<>|`, r) {
			return '_'
		}
		return r
	}, path.Base(strings.ReplaceAll(strings.ToValidUTF8(given, ""), `\`, "/")))
	name = strings.TrimSuffix(name, path.Ext(name))
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80])
	}
	if strings.Trim(name, "._ ") == "" {
		name = "mandate"
	}
	return name + ending
}
