package handlers

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"

	"debitdesk/handlers/access"
)

// reshapes are forms that can be asked to come again as they were sent, without
// doing anything: the address, and the field that asks for it.
var reshapes = map[string]struct{ path, field string }{
	"/purchases": {"/purchases", "show"}, "/purchases/preview": {"/purchases", "show"},
	"/mandates": {"/mandates", "find"}, "/mandates/preview": {"/mandates", "find"},
	"/templates": {"/templates", "show"},
}

// formBack serves GET /account/form: the page of a form that was sent after the
// session had ended, with what was typed into it. Nothing is done before the person
// sends it again.
func (e *edge) formBack(c echo.Context) error {
	kept, found, err := e.KeptForms.Form(c, c.QueryParam("kept"))
	if err != nil {
		return err
	}
	if !found {
		if err := access.AddFlash(c, "warn",
			"What you had typed into the form is gone: it is only kept for half an hour."); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/")
	}
	text := "You are signed in again, and the form is back with what you had typed. Nothing was sent yet."
	if kept.Files {
		text += " Please choose the files again."
	}
	if kept.Why == access.AwaitsClient {
		text = "The form of the purchase is back with what you had typed."
		if id := c.QueryParam("client"); id != "" {
			kept.Form.Set("client_id", id)
			kept.Form.Del("client_id_q")
			text = "The client was added and is chosen here. What you had typed is still in the form."
		}
	}
	page, err := e.formPage(c, kept, text)
	if err != nil {
		return err
	}
	if page == nil {
		if err := access.AddFlash(c, "warn",
			"The form has changed, and what you had typed could not be restored."); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, access.LocalPath(kept.From))
	}
	for name, values := range page.Header() {
		if name != echo.HeaderSetCookie && name != echo.HeaderContentLength {
			c.Response().Header()[name] = values
		}
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.HTMLBlob(http.StatusOK, page.body.Bytes())
}

// formPage finds the page of a form and fills it in, with a message on top; nil when
// there is none any more.
func (e *edge) formPage(c echo.Context, kept access.KeptForm, message string) (*answer, error) {
	to, err := url.Parse(kept.Path)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // an address that is none has no page
	}
	announced := func() error { // each page that is looked at shows the message, whether it is taken or not
		if _, err := access.TakeFlashes(c); err != nil {
			return err
		}
		return access.AddFlash(c, "info", message)
	}
	if again, ok := reshapes[to.Path]; ok {
		form := url.Values{}
		for name, values := range kept.Form {
			if name != "add" && name != "remove" && name != "check" && name != "use" {
				form[name] = values
			}
		}
		form.Set(again.field, "1")
		if err := announced(); err != nil {
			return nil, err
		}
		if page := e.inside(c, http.MethodPost, again.path, form); page.status == http.StatusOK {
			return page, nil
		}
	}
	opened := url.Values{} // what opens a form that stands in another page, such as the one of a note
	for _, name := range []string{"do", "kind", "back"} {
		if value := kept.Form.Get(name); value != "" {
			opened.Set(name, value)
		}
	}
	pages := []string{kept.From, to.Path + "/new", to.Path + "/edit", to.Path + "?" + opened.Encode()}
	for _, at := range pages {
		if err := announced(); err != nil {
			return nil, err
		}
		page := e.inside(c, http.MethodGet, access.LocalPath(at), nil)
		if page.status != http.StatusOK || !strings.HasPrefix(page.Header().Get(echo.HeaderContentType), echo.MIMETextHTML) {
			continue
		}
		if whole, ok := filledIn(page.body.Bytes(), kept); ok {
			page.body = *bytes.NewBuffer(whole)
			return page, nil
		}
	}
	_, err = access.TakeFlashes(c)
	return nil, err
}

// answer is an answer of our own that is looked at before it is sent.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// Flush is what pages ask for once they are written. Without it each of them would end in a panic.
func (a *answer) Flush() { a.WriteHeader(http.StatusOK) }

// inside asks one of our own addresses, as the person who is here.
func (e *edge) inside(c echo.Context, method, path string, form url.Values) *answer {
	r := c.Request().Clone(c.Request().Context())
	a := &answer{header: http.Header{}}
	to, err := url.Parse(path)
	if err != nil {
		return a
	}
	text := form.Encode()
	r.Method, r.URL, r.RequestURI = method, to, path
	r.Body, r.ContentLength, r.Form, r.PostForm, r.MultipartForm = http.NoBody, 0, nil, nil, nil
	for _, name := range []string{"Accept-Encoding", "If-None-Match", "Range", "Referer"} {
		r.Header.Del(name)
	}
	if form != nil {
		r.Header.Set(echo.HeaderContentType, echo.MIMEApplicationForm)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Body, r.ContentLength = readCloser{strings.NewReader(text)}, int64(len(text))
	}
	e.echo.ServeHTTP(a, r)
	return a
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// filledIn puts what was typed into the form of a page that has most of its fields;
// false when no form of the page has any of them.
func filledIn(page []byte, kept access.KeptForm) (whole []byte, ok bool) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, false
	}
	path, _, _ := strings.Cut(kept.Path, "?")
	var best *html.Node
	most := 0
	for form := range root.Descendants() {
		if form.Data != "form" || !strings.EqualFold(attributeOf(form, "method"), http.MethodPost) {
			continue
		}
		n := 0
		for _, field := range fieldsOf(form) {
			if typed(field) && kept.Form.Has(attributeOf(field, "name")) {
				n += 2
			}
		}
		if action, _, _ := strings.Cut(attributeOf(form, "action"), "?"); n > 0 && action == path {
			n += 1000
		}
		if n > most {
			best, most = form, n
		}
	}
	if best == nil {
		return nil, false
	}
	left := map[string][]string{}
	for name, values := range kept.Form {
		left[name] = slices.Clone(values)
	}
	for _, field := range fieldsOf(best) {
		fill(field, left)
	}
	var out bytes.Buffer
	if html.Render(&out, root) != nil {
		return nil, false
	}
	return out.Bytes(), true
}

func fieldsOf(form *html.Node) (fields []*html.Node) {
	for n := range form.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "input" || n.Data == "select" || n.Data == "textarea") &&
			attributeOf(n, "name") != "" {
			fields = append(fields, n)
		}
	}
	return fields
}

// typed tells fields that a person fills in from hidden ones.
func typed(field *html.Node) bool { return attributeOf(field, "type") != "hidden" }

// fill gives a field its value. Of fields with one name each takes the next value.
func fill(field *html.Node, left map[string][]string) {
	name := attributeOf(field, "name")
	values := left[name]
	next := func() (string, bool) {
		if len(values) == 0 {
			return "", false
		}
		left[name] = values[1:]
		return values[0], true
	}
	switch kind := attributeOf(field, "type"); {
	case field.Data == "select":
		if value, ok := next(); ok {
			for option := range field.Descendants() {
				if option.Data == "option" {
					mark(option, "selected", attributeOf(option, "value") == value)
				}
			}
		}
	case field.Data == "textarea":
		if value, ok := next(); ok {
			for field.FirstChild != nil {
				field.RemoveChild(field.FirstChild)
			}
			field.AppendChild(&html.Node{Type: html.TextNode, Data: value})
		}
	case kind == "checkbox" || kind == "radio":
		mark(field, "checked", slices.Contains(values, attributeOf(field, "value")))
	case kind == "password" || kind == "file" || kind == "submit":
	default:
		if value, ok := next(); ok {
			mark(field, "value", false)
			field.Attr = append(field.Attr, html.Attribute{Key: "value", Val: value})
		}
	}
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func mark(n *html.Node, name string, on bool) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if on {
		n.Attr = append(n.Attr, html.Attribute{Key: name})
	}
}
