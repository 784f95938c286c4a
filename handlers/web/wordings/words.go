package wordings

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/wording"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// own finds a kind of message in which the business may say something, with what it said, newest first.
func (h *Wordings) own(c echo.Context, language string) (a asked, versions []wording.Words, err error) {
	if a, err = h.find(c, language); err != nil {
		return a, nil, err
	}
	if len(a.Places) == 0 {
		return a, nil, fault.Missing()
	}
	versions, err = h.Service.Store.History(c.Request().Context(), a.brand, a.Name, a.lang)
	return a, versions, err
}

func latest(versions []wording.Words) (w wording.Words) {
	if len(versions) > 0 {
		w = versions[0]
	}
	return w
}

// Words serves GET /settings/brands/:id/messages/:message/words.
func (h *Wordings) Words(c echo.Context) error {
	a, versions, err := h.own(c, c.QueryParam("language"))
	if err != nil {
		return err
	}
	now := latest(versions)
	return h.form(c, a, now, wording.Input{Opening: now.Opening, Closing: now.Closing}, nil)
}

func (h *Wordings) form(c echo.Context, a asked, now wording.Words, in wording.Input, refused error) error {
	byInput, summary, fields := kit.Problems(refused)
	f, _ := fault.From(refused)
	v := pages.OwnWordsView{Title: "Your words: " + a.Title, Back: components.Link{Text: a.Title, Href: a.back()},
		GoBack: a.back(), Languages: a.tabs("/words", ""), Problems: components.ErrorSummary{Items: summary},
		Action: a.href() + "/words", Version: strconv.Itoa(now.Version), Language: string(a.lang),
		Places: wording.Listed(a.Places), PreviewHref: a.href() + "/words/preview", Look: previewButton(a),
		Preview: h.preview(a, in),
		Opening: components.Textarea{Label: "Before the text", Name: "opening", ID: "opening", Value: in.Opening, Rows: 4,
			Error: byInput["opening"], Hint: "After the greeting. Leave it empty for the text as it is."},
		Closing: components.Textarea{Label: "After the text", Name: "closing", ID: "closing", Value: in.Closing, Rows: 4,
			Error: byInput["closing"], Hint: "Below the amounts and the button."}}
	switch {
	case f != nil && f.Code == "words_changed":
		v.Conflict = true
		v.Differs = differing(now.Wording, merchant.Wording{Opening: in.Opening, Closing: in.Closing})
	case f != nil && !fields:
		v.Problems.Items = []components.ErrorItem{{Text: f.Message}}
	}
	allowMails(c, a)
	return h.Desk.ShowIn(c, kit.StatusOf(refused), v.Title, words.SettingsSection,
		func(fr layout.Frame) templ.Component { return pages.OwnWords(fr, v) })
}

// back leads to the preview.
func (a asked) back() string { return a.href() + "?language=" + string(a.lang) }

// differing are the parts of words that are not the same.
func differing(before, after merchant.Wording) (out []pages.BrandDiffers) {
	for _, part := range []struct{ label, was, is string }{{"Before the text", before.Opening, after.Opening},
		{"After the text", before.Closing, after.Closing}} {
		if part.was != part.is {
			out = append(out, pages.BrandDiffers{Label: part.label, Theirs: cmp.Or(part.was, "–"), Yours: cmp.Or(part.is, "–")})
		}
	}
	return out
}

// Save serves POST /settings/brands/:id/messages/:message/words.
func (h *Wordings) Save(c echo.Context) error {
	form, a, err := h.posted(c)
	if err != nil {
		return err
	}
	in := wordsIn(form)
	_, err = h.Service.Save(c.Request().Context(), access.Actor(c), a.brand.ID, a.Kind, in)
	if kit.MayShow(err) {
		_, versions, failed := h.own(c, form.Get("language"))
		if failed != nil {
			return failed
		}
		now := latest(versions)
		if fault.Is(err, fault.Invalid) {
			now.Version = in.Version // what they saw, until their words are fit to be saved
		}
		return h.form(c, a, now, in, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok",
		"Your words are saved. Mails from now on have them; what was sent stays as it was.", a.back())
}

// History serves GET /settings/brands/:id/messages/:message/history.
func (h *Wordings) History(c echo.Context) error {
	a, versions, err := h.own(c, c.QueryParam("language"))
	if err != nil {
		return err
	}
	v := pages.WordsHistoryView{Title: "History: " + a.Title, Back: components.Link{Text: a.Title, Href: a.back()},
		Languages: a.tabs("/history", ""), Action: a.href() + "/words", Version: strconv.Itoa(latest(versions).Version),
		Language: string(a.lang)}
	for i, w := range versions[:min(len(versions), wording.MostVersions)] {
		var before merchant.Wording
		if i+1 < len(versions) {
			before = versions[i+1].Wording
		}
		n := strconv.Itoa(w.Version)
		one := pages.WordsVersion{Title: "Version " + n, By: "Saved by " + w.CreatedBy, At: words.Moment(w.CreatedAt),
			Opening: w.Opening, Closing: w.Closing, Changes: differing(before, w.Wording)}
		if i > 0 {
			one.Again = "Use version " + n + " again"
		}
		v.Versions = append(v.Versions, one)
	}
	return h.Desk.ShowIn(c, http.StatusOK, v.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.WordsHistory(f, v) })
}
