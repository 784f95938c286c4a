package logo_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"debitdesk/models/fault"
	"debitdesk/models/logo"
	"debitdesk/models/logo/logotest"
)

func TestALogoIsTheSizeAtWhichItIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		end  string
		w, h int
	}{
		"small":        {logotest.PNG(64, 32), "-64x32", 64, 32},
		"as it should": {logotest.PNG(480, 160), "-480x160", 240, 80},
		"wide":         {logotest.PNG(1920, 320), "-480x80", 240, 40},
		"high":         {logotest.PNG(400, 800), "-80x160", 40, 80},
		"a photo":      {logotest.JPEG(3000, 1000), "-480x160", 240, 80},
	} {
		l, err := logo.Read(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, known := logo.Parse(string(l.Name)); !known || !strings.HasSuffix(string(l.Name), c.end) {
			t.Errorf("%s is named %s, want …%s", name, l.Name, c.end)
		}
		if w, h := l.Name.Shown(); w != c.w || h != c.h {
			t.Errorf("%s is shown %d × %d", name, w, h)
		}
		if again, _ := logo.Read(c.file); again.Name != l.Name || !bytes.Equal(again.PNG, l.PNG) {
			t.Errorf("%s: the same file gives two names", name)
		}
	}
}

func TestWhatIsTransparentStays(t *testing.T) {
	l, err := logo.Read(logotest.PNG(960, 320))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(l.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, a := picture.At(0, 0).RGBA(); a != 0 {
		t.Errorf("the corner has an alpha of %d", a)
	}
	if got := color.NRGBAModel.Convert(picture.At(80, 80)); got != (color.NRGBA{0x1b, 0x5e, 0x4a, 255}) {
		t.Errorf("the disc is %v", got)
	}
}

// chunk is a part of a PNG.
func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

const secret = "GPS 33.9249 S 18.4241 E"

func TestNothingOfAFileButItsPixelsIsKept(t *testing.T) {
	picture := logotest.PNG(64, 32)
	const head = 8 + 25 // the signature and IHDR
	inPNG := bytes.Join([][]byte{picture[:head], chunk("eXIf", []byte(secret)),
		chunk("tEXt", []byte("Comment\x00"+secret)), picture[head:], []byte("<script>" + secret)}, nil)
	photo := logotest.JPEG(64, 32)
	exif := append([]byte("\xff\xe1"), binary.BigEndian.AppendUint16(nil, uint16(len(secret)+8))...)
	exif = append(append(exif, "Exif\x00\x00"...), secret...)
	inJPEG := bytes.Join([][]byte{photo[:2], exif, photo[2:], []byte(secret)}, nil)
	for name, file := range map[string][2][]byte{"PNG": {inPNG, picture}, "JPEG": {inJPEG, photo}} {
		with, err := logo.Read(file[0])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		without, err := logo.Read(file[1])
		if err != nil || !bytes.Equal(with.PNG, without.PNG) || bytes.Contains(with.PNG, []byte("GPS")) {
			t.Errorf("%s: something of the file was kept, %v", name, err)
		}
	}
}

// claiming is a PNG that says it is that large and has no pixels.
func claiming(w, h uint32) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append(append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(size, 8, 6, 0, 0, 0))...),
		chunk("IDAT", []byte("not read"))...)
}

func TestWhatIsNoLogoIsRefusedBeforeItIsOpened(t *testing.T) {
	photo := logotest.JPEG(64, 64)
	scans := bytes.Join([][]byte{photo[:2], bytes.Repeat([]byte("\xff\xda"), 200), photo[2:]}, nil)
	scans = append(photo[:len(photo)-2:len(photo)-2], scans...)
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"a bomb":           {claiming(30_000, 30_000), "30000 × 30000 pixels, which is too large"},
		"a long bomb":      {claiming(5_001, 20), "too large"},
		"a bomb that fits": {claiming(4_000, 2_001), "too large"},
		"a dot":            {claiming(15, 400), "at least 16 on each side"},
		"a line":           {claiming(4_000, 16), "too long and narrow"},
		"no picture":       {claiming(400, 400), "cannot be read"},
		"too many scans":   {scans, "too many passes"},
		"cut off":          {photo[:len(photo)/2], "cannot be read"},
		"a large file":     {make([]byte, logo.MostBytes+1), "at most 500 kB"},
		"an empty file":    {nil, "must be a PNG or JPEG"},
		"SVG":              {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "must be a PNG or JPEG"},
		"GIF":              {[]byte("GIF89a\x40\x00\x40\x00"), "must be a PNG or JPEG"},
		"HTML":             {[]byte("<!doctype html>"), "must be a PNG or JPEG"},
	} {
		l, err := logo.Read(c.file)
		f, _ := fault.From(err)
		if f == nil || f.Kind != fault.Invalid || !strings.Contains(f.Message, c.says) || l.PNG != nil {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestWhatIsNoNameIsNoLogo(t *testing.T) {
	const sum = "0123456789abcdef0123456789abcdef"
	for _, no := range []string{"", sum, sum + "-0x10", sum + "-10x", sum[1:] + "-10x10", sum + "-10x10.png",
		sum + "-1000x10", "../" + sum + "-10x10", strings.ToUpper(sum) + "-10x10"} {
		if _, known := logo.Parse(no); known {
			t.Errorf("%q is a name", no)
		}
		if w, h := logo.Name(no).Shown(); w != 0 || h != 0 {
			t.Errorf("%q is shown", no)
		}
	}
}
