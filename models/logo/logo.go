// Package logo knows what a picture must be to stand on pages, in mails and on documents, and makes one of its own of
// what was uploaded: nothing of the file but its pixels gets any further. It must not know whose it is.
package logo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"regexp"
	"strconv"
	"sync"

	"golang.org/x/image/draw"

	"debitdesk/models/fault"
)

const (
	// MostBytes is the largest file that is taken.
	MostBytes = 500_000
	// MaxWidth and MaxHeight, in pixels, are those of the picture that is kept. It is shown at half of them, so that it
	// is sharp on screens with two dots to a pixel.
	MaxWidth, MaxHeight = 480, 160

	leastSide = 16        // pixels, of a file
	mostSide  = 5_000     // pixels
	most      = 8_000_000 // pixels in all: 64 MB at the most while it is read
	mostScans = 100       // of a JPEG; programs write about ten
	keptSide  = 8         // pixels, of what is kept
)

// Limits says what is taken, before anybody chooses a file.
const Limits = "PNG or JPEG, at most 500 kB, at least 16 pixels on each side and 8 million pixels in all."

// Name names a picture by its sum and its size in pixels: "0123456789abcdef0123456789abcdef-480x160". The zero value
// is none.
type Name string

var nameForm = regexp.MustCompile(`^[0-9a-f]{32}-([1-9]\d{0,2})x([1-9]\d{0,2})$`)

// Parse is the name that a text is; false when it is none.
func Parse(text string) (Name, bool) { return Name(text), nameForm.MatchString(text) }

// Shown is how large the picture is shown, in pixels of a page; zero for what is no name.
func (n Name) Shown() (width, height int) {
	m := nameForm.FindStringSubmatch(string(n))
	if m == nil {
		return 0, 0
	}
	w, _ := strconv.Atoi(m[1]) // digits, as the form says
	h, _ := strconv.Atoi(m[2])
	return fit(w, h, MaxWidth/2, MaxHeight/2)
}

// Logo is a picture with its name.
type Logo struct {
	Name Name
	PNG  []byte
}

// reading keeps the memory that pictures take to that of one.
var reading sync.Mutex

// Read makes a logo of a file: a PNG of the size at which logos are kept, and nothing else that the file held. A fault
// of kind Invalid says what is wrong with it.
func Read(file []byte) (Logo, error) {
	if len(file) > MostBytes {
		return Logo{}, wrong("max_length", "The file can be at most 500 kB.")
	}
	decode, size, err := sized(file)
	if err != nil {
		return Logo{}, err
	}
	turn := orientation(file)
	if lies(turn) {
		size.Width, size.Height = size.Height, size.Width
	}
	width, height := fit(size.Width, size.Height, MaxWidth, MaxHeight)
	switch { // by what the file says of itself: it is not opened before
	case size.Width < leastSide || size.Height < leastSide:
		return Logo{}, wrong("min_size", "The picture is %d × %d pixels. A logo has at least %d on each side.", size.Width,
			size.Height, leastSide)
	case size.Width > mostSide || size.Height > mostSide || size.Width*size.Height > most:
		return Logo{}, wrong("max_size", "The picture is %d × %d pixels, which is too large. Make it smaller: it is kept at "+
			"%d × %d at most.", size.Width, size.Height, MaxWidth, MaxHeight)
	case width < keptSide || height < keptSide:
		return Logo{}, wrong("invalid", "The picture is too long and narrow for a logo.")
	}
	reading.Lock()
	defer reading.Unlock()
	from, err := decode(bytes.NewReader(file))
	if err != nil {
		return Logo{}, unreadable(err)
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	if lies(turn) {
		to = image.NewRGBA(image.Rect(0, 0, height, width))
	}
	if from.Bounds().Size() == to.Bounds().Size() {
		draw.Draw(to, to.Bounds(), from, from.Bounds().Min, draw.Src)
	} else {
		draw.CatmullRom.Scale(to, to.Bounds(), from, from.Bounds(), draw.Src, nil)
	}
	to = turned(to, turn)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		return Logo{}, fmt.Errorf("write a logo: %w", err)
	}
	sum := sha256.Sum256(out.Bytes())
	return Logo{Name: Name(fmt.Sprintf("%s-%dx%d", hex.EncodeToString(sum[:16]), width, height)), PNG: out.Bytes()}, nil
}

type decoder func(*bytes.Reader) (image.Image, error)

// sized tells how large a picture says it is, and how to read it. What a file is called proves nothing.
func sized(file []byte) (read decoder, size image.Config, err error) {
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		read = func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) }
		size, err = png.DecodeConfig(bytes.NewReader(file))
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		read = func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) }
		size, err = jpeg.DecodeConfig(bytes.NewReader(file))
		// Each scan of a progressive JPEG walks through all of it, however few bytes it takes.
		if err == nil && bytes.Count(file, []byte{0xff, 0xda}) > mostScans {
			return nil, size, wrong("invalid",
				"The picture is drawn in too many passes. Save it anew as PNG, and choose it again.")
		}
	default:
		return nil, size, wrong("invalid", "The file must be a PNG or JPEG.")
	}
	if err != nil {
		return nil, size, unreadable(err)
	}
	return read, size, nil
}

// fit makes a size smaller, where it must be, and keeps its shape.
func fit(width, height, maxWidth, maxHeight int) (w, h int) {
	if width <= maxWidth && height <= maxHeight {
		return width, height
	}
	if width*maxHeight > height*maxWidth {
		return maxWidth, max(1, height*maxWidth/width)
	}
	return max(1, width*maxHeight/height), maxHeight
}

func wrong(code, format string, args ...any) error {
	return fault.New(fault.Invalid, code, format, args...)
}

func unreadable(err error) error {
	return fault.New(fault.Invalid, "invalid", "The picture cannot be read. Save it anew as PNG, and choose it again.").
		Because(err)
}
