package emails

import (
	"context"
	"strings"
)

// Marked puts a note above everything that a mail says.
func Marked(html, note string) string {
	var mark strings.Builder
	_ = marked(note).Render(context.Background(), &mark) // a builder takes everything
	return strings.Replace(html, "<body>", "<body>"+mark.String(), 1)
}
