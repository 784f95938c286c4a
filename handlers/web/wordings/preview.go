package wordings

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/handlers/letters"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/wording"
	"debitdesk/views/components"
	"debitdesk/views/emails"
	"debitdesk/views/pages"
)

// previewBox is the part of the form that follows what is typed.
const previewBox = "preview"

func wordsIn(form url.Values) wording.Input {
	in := wording.Input{Language: locale.Language(form.Get("language")), Opening: form.Get("opening"),
		Closing: form.Get("closing")}
	in.Version, _ = strconv.Atoi(form.Get("version")) // what is no number is no version that there is
	return in
}

// Preview serves POST /settings/brands/:id/messages/:message/words/preview: the mail with the words that were typed, of
// which nothing is kept. Without a script it is the form again, with that mail beside it.
func (h *Wordings) Preview(c echo.Context) error {
	form, a, err := h.posted(c)
	if err != nil {
		return err
	}
	if len(a.Places) == 0 {
		return fault.Missing()
	}
	in := wordsIn(form)
	if kit.FragmentFor(c, previewBox) {
		return html.Send(c, http.StatusOK, pages.WordsPreview(h.preview(a, in)))
	}
	_, versions, err := h.own(c, form.Get("language"))
	if err != nil {
		return err
	}
	now := latest(versions)
	now.Version = in.Version // what they saw
	return h.form(c, a, now, in, nil)
}

// preview is the mail as it would be sent with these words.
func (h *Wordings) preview(a asked, in wording.Input) (v pages.WordsPreviewView) {
	in.Language = a.lang
	tried, wrong := wording.Try(a.brand, a.Kind, in)
	_, v.Problems, _ = kit.Problems(wrong)
	a.brand = tried
	if l, by := h.example(a).Mail(a.Name); by {
		v.Subject, v.HTML = l.Subject, l.HTML
	}
	return v
}

// allowMails lets the page show mails of the brand, which have their style sheets within them.
func allowMails(c echo.Context, a asked) {
	page := c.Response().Header()
	page.Set(echo.HeaderContentSecurityPolicy, strings.Replace(page.Get(echo.HeaderContentSecurityPolicy),
		"style-src 'self'", "style-src 'self' "+emails.StyleSources(letters.Tones(a.brand)), 1))
}

// previewButton asks for the preview where no script does.
func previewButton(a asked) components.Button {
	return components.Button{Label: "Preview", FormAction: a.href() + "/words/preview"}
}
