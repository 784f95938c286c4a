package developers

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/requestlog"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

const tokenRoute = "/oauth/token" //nolint:gosec // an address

func requestView(e requestlog.Entry, baseURL string) pages.RequestView {
	view := pages.RequestView{Title: e.Method + " " + e.Path, Status: answerPill(e), Badges: requestBadges(e),
		Took: tookWords(e.TookMicros), At: words.Moment(e.At),
		Request: pretty(e.Request), Answer: pretty(e.Answer), Curl: curlOf(e, baseURL)}
	view.Status.Word += " " + http.StatusText(e.Status)
	view.Masked = strings.Contains(e.Request+e.Query+e.Answer, requestlog.Hidden)
	text := func(label, value string, mono bool) {
		if value != "" {
			view.Facts.Items = append(view.Facts.Items, components.Fact{Label: label, Value: value, Mono: mono})
		}
	}
	text("Route", e.Route, true)
	text("Query", e.Query, true)
	credential := components.Fact{Label: "Credential", Value: e.CredentialName}
	if e.CredentialID != uuid.Nil {
		credential.Value += " · " + lastFour(e.CredentialID)
		credential.Href = kit.Address(requestsPath, map[string][]string{"credential": {e.CredentialID.String()}})
	}
	view.Facts.Items = append(view.Facts.Items, credential)
	if e.IdempotencyKey != "" {
		view.Facts.Items = append(view.Facts.Items, components.Fact{Label: "Idempotency-Key", Value: e.IdempotencyKey,
			Mono: true, Copy: e.IdempotencyKey})
	}
	view.Facts.Items = append(view.Facts.Items, components.Fact{Label: "X-Request-Id", Value: e.RequestID, Mono: true,
		Copy: e.RequestID})
	text("Address", e.IP, true)
	view.About = aboutRequest(e)
	return view
}

// pages of the dashboard by the part of an address that stands before an id.
var objectPages = map[string]struct{ word, path string }{
	"purchases": {"Purchase", "/purchases/"}, "clients": {"Client", "/clients/"},
	"recurring_tokens":  {"Token", "/tokens/"},
	"billing_templates": {"Template", "/templates/"}, "webhooks": {"Webhook", "/developers/webhooks/"},
}

// aboutRequest links to the things that the path names, and to what was made.
func aboutRequest(e requestlog.Entry) (links []components.Link) {
	parts := strings.Split(strings.Trim(e.Path, "/"), "/")
	for i := 1; i < len(parts); i++ {
		page, known := objectPages[parts[i-1]]
		if id, err := uuid.Parse(parts[i]); known && err == nil {
			links = append(links, components.Link{Text: page.word + " " + lastFour(id), Href: page.path + id.String()})
		}
	}
	var made struct{ ID uuid.UUID }
	page, known := objectPages[parts[len(parts)-1]]
	if known && e.Status == http.StatusCreated && !e.DryRun && json.Unmarshal([]byte(e.Answer), &made) == nil &&
		made.ID != uuid.Nil {
		links = append(links, components.Link{Text: page.word + " " + lastFour(made.ID), Href: page.path + made.ID.String()})
	}
	return links
}

// pretty indents JSON; anything else stays as it is.
func pretty(body string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(body), "", "  ") != nil {
		return body
	}
	return out.String()
}
