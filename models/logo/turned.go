package logo

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is how the pixels of a JPEG are to be turned, 1 to 8 as EXIF counts (CIPA DC-008, tag 274): cameras write
// them as the sensor lay, and say beside them how it was held. It is 1, as they are, where the file does not say or
// what it says cannot be read, as in a PNG. Nothing else of EXIF is looked at.
func orientation(file []byte) int {
	const (
		startOfScan, app1 = 0xda, 0xe1 // what follows the first is pixels
		tiffAt            = len("Exif\x00\x00")
	)
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		switch marker := file[at+1]; {
		case marker == 0xff: // a byte that fills
			at++
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8: // a marker alone
			at += 2
		case marker == startOfScan:
			return 1
		default:
			length := int(binary.BigEndian.Uint16(file[at+2:]))
			if length < 2 || at+2+length > len(file) {
				return 1
			}
			segment := file[at+4 : at+2+length]
			if marker == app1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
				return ofTIFF(segment[tiffAt:])
			}
			at += 2 + length
		}
	}
	return 1
}

// ofTIFF reads the orientation out of the first directory of the TIFF that EXIF is.
func ofTIFF(tiff []byte) int {
	const (
		header, entry = 8, 12 // bytes
		tag, short    = 0x0112, 3
	)
	if len(tiff) < header {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(tiff[:4]) {
	case "II*\x00":
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for n := int(order.Uint16(tiff[at:])); n > 0 && len(entries) >= entry; n, entries = n-1, entries[entry:] {
		if order.Uint16(entries) != tag {
			continue
		}
		value := int(order.Uint16(entries[8:]))
		if order.Uint16(entries[2:]) != short || order.Uint32(entries[4:]) != 1 || value < 1 || value > 8 {
			return 1
		}
		return value
	}
	return 1
}

// lies tells that a picture is on its side: its width is the height of what is stored.
func lies(orientation int) bool { return orientation >= 5 }

// turned is a picture as its orientation says it is to be seen.
func turned(from *image.RGBA, orientation int) *image.RGBA {
	if orientation <= 1 {
		return from
	}
	w, h := from.Rect.Dx(), from.Rect.Dy()
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if lies(orientation) {
		to = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range to.Rect.Dy() {
		for x := range to.Rect.Dx() {
			fx, fy := x, y
			switch orientation {
			case 2: // mirrored
				fx = w - 1 - x
			case 3: // upside down
				fx, fy = w-1-x, h-1-y
			case 4: // both
				fy = h - 1 - y
			case 5: // mirrored, its top at the left
				fx, fy = y, x
			case 6: // its top at the right
				fx, fy = y, h-1-x
			case 7: // mirrored, its top at the right
				fx, fy = w-1-y, h-1-x
			case 8: // its top at the left
				fx, fy = w-1-y, x
			}
			to.SetRGBA(x, y, from.RGBAAt(fx, fy))
		}
	}
	return to
}
