package documents

import (
	"bytes"

	"github.com/go-pdf/fpdf"
)

// logoDPI prints a logo of 480 pixels 50 mm wide.
const logoDPI = 480 / (50 / 25.4)

// logo draws the logo at the right of the first page. It gives the width that is left beside it, and where what is
// below begins. A picture that cannot be drawn is left out: the document counts.
func (s sheet) logo() (beside, below float64) {
	if len(s.p.Logo) == 0 || s.Err() {
		return width, 0
	}
	is := fpdf.ImageOptions{ImageType: "PNG"}
	info := s.RegisterImageOptionsReader("logo", is, bytes.NewReader(s.p.Logo))
	if s.Err() || info == nil {
		s.ClearError()
		return width, 0
	}
	info.SetDpi(logoDPI)
	left, top := width-info.Width(), s.GetY()
	s.ImageOptions("logo", margin+left, top, info.Width(), info.Height(), false, is, 0, "")
	return left - 4, top + info.Height()
}
