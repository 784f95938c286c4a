package emails

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
)

// Tones are the colours of a brand, each as "#2350c8", chosen so that each can be read. The zero value is the house's.
type Tones struct {
	Fill, On    string // of the button, and of the text on it
	Light, Dark string // of links and of the brand's name, in each colour scheme
}

// sheet is the element that puts the tones over the house's.
func (t Tones) sheet() string {
	return "<style>" + strings.NewReplacer("FILL", t.Fill, "ON", t.On, "LIGHT", t.Light, "DARK", t.Dark).Replace(
		".sheet { border-top: 4px solid FILL; } td.brand, .rows a { color: LIGHT; } "+
			"a.button { background: FILL; color: ON; border: 1px solid LIGHT; } "+
			"@media (prefers-color-scheme: dark) { td.brand, .rows a { color: DARK; } "+
			"a.button { background: FILL; color: ON; border-color: DARK; } }") + "</style>"
}

// StyleSources name the style sheets of mails in those tones to a content security policy, so that a page may show a
// mail in a frame and allow no other style.
func StyleSources(t Tones) string {
	if t == (Tones{}) {
		return houseStyle()
	}
	return houseStyle() + " " + styleSource(t.sheet())
}

var houseStyle = sync.OnceValue(func() string {
	var html strings.Builder
	_ = View{}.HTML().Render(context.Background(), &html) // a builder takes everything
	return styleSource(html.String())
})

// styleSource is the hash of the first style sheet.
func styleSource(html string) string {
	_, style, _ := strings.Cut(html, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
