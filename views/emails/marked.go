package emails

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
)

// Marked puts a note above everything that a mail says.
func Marked(html, note string) string {
	var mark strings.Builder
	_ = marked(note).Render(context.Background(), &mark) // a builder takes everything
	return strings.Replace(html, "<body>", "<body>"+mark.String(), 1)
}

// StyleSource names the style sheet of all mails to a content security policy, so that a page may show a mail in a
// frame and allow no other style.
var StyleSource = sync.OnceValue(func() string {
	var html strings.Builder
	_ = View{}.HTML().Render(context.Background(), &html)
	_, style, _ := strings.Cut(html.String(), "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
})
