package logo_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"debitdesk/models/logo"
)

// sides are where the first row and the first column of the stored pixels are in the picture as it is to be seen, for
// each value of the tag (CIPA DC-008, section 4.6.4).
var sides = map[int][2]string{1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"},
	5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"}}

var quarters = map[string]color.RGBA{"top left": {200, 0, 0, 255}, "top right": {0, 160, 0, 255},
	"bottom left": {0, 0, 200, 255}, "bottom right": {250, 250, 250, 255}}

// quarter names the quarter of a picture in which a point lies.
func quarter(x, y, width, height int) string {
	row, column := "top", "left"
	if y >= height/2 {
		row = "bottom"
	}
	if x >= width/2 {
		column = "right"
	}
	return row + " " + column
}

// photo is a JPEG whose pixels lie as a camera stores what it saw, width by height in the way it is to be seen.
func photo(t *testing.T, orientation, width, height int, exif []byte) []byte {
	t.Helper()
	row, column := sides[orientation][0], sides[orientation][1]
	across := row == "left" || row == "right"
	stored := image.NewRGBA(image.Rect(0, 0, width, height))
	if across {
		stored = image.NewRGBA(image.Rect(0, 0, height, width))
	}
	place := func(side string, n, x, y *int) { // n from the side
		switch side {
		case "top":
			*y = *n
		case "bottom":
			*y = height - 1 - *n
		case "left":
			*x = *n
		case "right":
			*x = width - 1 - *n
		}
	}
	for r := range stored.Rect.Dy() {
		for c := range stored.Rect.Dx() {
			var x, y int
			place(row, &r, &x, &y)
			place(column, &c, &x, &y)
			stored.SetRGBA(c, r, quarters[quarter(x, y, width, height)])
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, stored, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	if exif == nil {
		return out.Bytes()
	}
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	return append(append(append([]byte{0xff, 0xd8}, segment...), exif...), out.Bytes()[2:]...)
}

// exifOf has two tags before the orientation, as cameras write them.
func exifOf(order binary.AppendByteOrder, orientation int) []byte {
	head := "Exif\x00\x00II*\x00"
	if order.String() == "BigEndian" {
		head = "Exif\x00\x00MM\x00*"
	}
	out := order.AppendUint16(order.AppendUint32([]byte(head), 8), 3)
	for _, tag := range []uint16{0x0100, 0x0101, 0x0112} {
		out = order.AppendUint32(order.AppendUint16(order.AppendUint16(out, tag), 3), 1)
		out = order.AppendUint16(order.AppendUint16(out, uint16(orientation)), 0)
	}
	return order.AppendUint32(out, 0)
}

// upright fails where a quarter of the picture has another colour, or the picture another shape.
func upright(t *testing.T, what string, file []byte, width, height int) {
	t.Helper()
	l, err := logo.Read(file)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	picture, err := png.Decode(bytes.NewReader(l.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds().Size(); got != image.Pt(width, height) {
		t.Fatalf("%s: %v, want %d × %d", what, got, width, height)
	}
	for _, at := range []image.Point{{width / 4, height / 4}, {3 * width / 4, height / 4}, {width / 4, 3 * height / 4},
		{3 * width / 4, 3 * height / 4}} {
		want := quarters[quarter(at.X, at.Y, width, height)]
		r, g, b, _ := picture.At(at.X, at.Y).RGBA()
		for _, pair := range [][2]int{{int(r >> 8), int(want.R)}, {int(g >> 8), int(want.G)}, {int(b >> 8), int(want.B)}} {
			if d := pair[0] - pair[1]; d > 12 || d < -12 {
				t.Errorf("%s: at %v it is %d %d %d, want %v", what, at, r>>8, g>>8, b>>8, want)
				break
			}
		}
	}
}

func TestAPhotoStandsAsItWasSeen(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			what := fmt.Sprintf("%d %s", n, order)
			upright(t, what, photo(t, n, 128, 64, exifOf(order, n)), 128, 64)
			upright(t, what+", made smaller", photo(t, n, 1600, 800, exifOf(order, n)), 320, 160)
		}
	}
}

// What cannot be read turns nothing, and reads nothing beyond its end.
func TestAnOrientationThatCannotBeReadTurnsNothing(t *testing.T) {
	good := exifOf(binary.LittleEndian, 6)
	const directory, last = 14, 14 + 2 + 24 // where the directory begins, and its third entry
	change := func(at int, to ...byte) []byte {
		return append(append(bytes.Clone(good[:at]), to...), good[at+len(to):]...)
	}
	for what, exif := range map[string][]byte{"none": nil, "0": exifOf(binary.LittleEndian, 0),
		"9": exifOf(binary.BigEndian, 9), "no TIFF": change(6, 'X'), "another type": change(last+2, 4),
		"two values": change(last+4, 2), "a directory beyond the end": change(10, 0xff, 0xff, 0xff, 0xff),
		"another name": change(0, 'e')} {
		upright(t, what, photo(t, 1, 128, 64, exif), 128, 64)
	}
	for n := range good[:directory+2] {
		upright(t, fmt.Sprintf("cut off at %d", n), photo(t, 1, 128, 64, good[:n]), 128, 64)
	}
	upright(t, "more entries than there are", photo(t, 6, 128, 64, change(directory, 0xff, 0xff)), 128, 64)
}
