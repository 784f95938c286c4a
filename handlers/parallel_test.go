package handlers_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
	"debitdesk/models/storetest/thorough"
	"debitdesk/models/user"
)

const (
	few     = handlertest.Connections + 2 // of those that hash a password, which happens two at a time
	longest = 10 * time.Minute            // so that a caller who would wait for ever is told
)

// many is how many calls of an address are made at the same moment: more than there are connections.
var many = thorough.Times(2*handlertest.Connections, 4*handlertest.Connections)

// callers call every address many times at the same moment.
type callers struct {
	*street
	called map[string]bool
}

// ask is one of the calls.
type ask struct {
	ids     []string // for the parameters of the address, in order
	query   string
	body    any
	who     *handlertest.Person // nil: the program of A on the API, its owner elsewhere
	headers []string
}

func newCallers(t *testing.T) *callers {
	t.Helper()
	c := &callers{newStreet(t), map[string]bool{}}
	workingDay := calendar.On(2027, time.February, 1).At(9, 0) // clients can be asked at this time
	if err := c.Store.Clock.MoveTo(t.Context(), workingDay); err != nil {
		t.Fatal(err)
	}
	c.App.Pre(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(e echo.Context) error {
			ctx, cancel := context.WithTimeout(e.Request().Context(), longest)
			defer cancel()
			e.SetRequest(e.Request().WithContext(ctx))
			return next(e)
		}
	})
	return c
}

// Every address that writes has more callers at once than the pool has connections: if a
// unit of work needed a second connection, all callers would wait for each other until
// they were sent away. The store of the tests also refuses a second connection to a
// goroutine that holds one, so the test fails even where the callers would have had luck.
func TestManyCallersOfEveryWritingAddressGetTheirAnswers(t *testing.T) {
	t.Parallel()
	c := newCallers(t)
	c.clients()
	c.mandates()
	c.purchases()
	c.payers()
	c.ownPages()
	c.texts()
	c.tokens()
	c.amendments()
	c.billing()
	c.templates()
	c.hooks()
	c.batches()
	c.imports()
	c.statements()
	c.books()
	c.plans()
	c.tasks()
	c.selections()
	c.lists()
	c.followups()
	c.settings()
	c.people()
	c.ownAccount()
	c.entrance()
	c.approvals()
	c.bankFiles()
	c.playgrounds()
	c.each(func(method, route string) {
		at := method + " " + route
		writes := method != http.MethodGet && method != http.MethodHead
		if writes && !c.called[at] {
			t.Errorf("%s: this test must call it many times at once", at)
		}
	})
}

// all calls an address many times at once. At least one answer must have the first
// status; the others may have any of them.
func (c *callers) all(at string, make func(i int) ask, want ...int) []handlertest.Answer {
	c.t.Helper()
	return c.times(many, at, make, want...)
}

func (c *callers) times(n int, at string, make func(i int) ask, want ...int) []handlertest.Answer {
	c.t.Helper()
	c.called[at] = true
	c.fold()
	method, route, _ := strings.Cut(at, " ")
	begun := time.Now()
	answers := atOnce(n, func(i int) handlertest.Answer { return c.one(method, route, make(i)) })
	if testing.Verbose() {
		c.t.Logf("%s: %s", at, time.Since(begun).Round(time.Millisecond))
	}
	seen := map[int]int{}
	for _, a := range answers {
		if seen[a.Status]++; !slices.Contains(want, a.Status) && seen[a.Status] == 1 {
			c.t.Errorf("%s: %d %s %s", at, a.Status, a.Header.Get("Location"), visible(a.Body))
		}
	}
	if seen[want[0]] == 0 {
		c.t.Errorf("%s: no answer was %d: %v %s", at, want[0], seen, visible(answers[0].Body))
	}
	c.unbroken(at, handlertest.Answer{})
	return answers
}

func (c *callers) one(method, route string, a ask) handlertest.Answer {
	ids := a.ids
	path := c.address(route, func(string, string) string {
		id := ids[0]
		ids = ids[1:]
		return url.PathEscape(id)
	})
	if a.query != "" {
		path += "?" + a.query
	}
	headers := append([]string{"Authorization: Bearer " + c.A.Token, "Accept: application/json"}, a.headers...)
	if a.who != nil || !handlertest.IsProgram(route) && !strings.HasPrefix(route, "/sandbox/") {
		who := c.A.Owner
		if a.who != nil {
			who = *a.who
		}
		headers = append([]string{"Cookie: " + who.Cookie, "Accept: text/html", "Sec-Fetch-Site: same-origin"}, a.headers...)
	}
	return c.Call(method, path, a.body, headers...)
}

// atOnce makes the calls at the same moment and gives their answers in order.
func atOnce(n int, call func(i int) handlertest.Answer) []handlertest.Answer {
	answers := make([]handlertest.Answer, n)
	gate := make(chan struct{})
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			<-gate
			answers[i] = call(i)
		})
	}
	close(gate)
	wait.Wait()
	return answers
}

var tags = regexp.MustCompile(`(?s)<head>.*?</head>|<nav.*?</nav>|<svg.*?</svg>|<[^>]*>`)

// visible is what a page says, without its frame.
func visible(body string) string {
	text := strings.Join(strings.Fields(tags.ReplaceAllString(body, " ")), " ")
	return text[max(0, len(text)-700):]
}

// created are the ids of what the API made.
func created(answers []handlertest.Answer) (ids []string) {
	for _, a := range answers {
		ids = append(ids, a.Text("id"))
	}
	return ids
}

// redirected are the ids in the addresses that pages went on to: the part after the beginning.
func (c *callers) redirected(answers []handlertest.Answer, begins string) (ids []string) {
	c.t.Helper()
	for _, a := range answers {
		rest, ok := strings.CutPrefix(a.Header.Get("Location"), begins)
		if id, _, _ := strings.Cut(strings.ReplaceAll(rest, "#", "/"), "/"); ok && id != "" {
			ids = append(ids, id)
			continue
		}
		c.t.Fatalf("%d led to %q, want %s…", a.Status, a.Header.Get("Location"), begins)
	}
	return ids
}

// column is the first column of what a query gives.
func (c *callers) column(sql string, args ...any) (values []string) {
	c.t.Helper()
	rows, err := c.Store.Pool.Query(c.t.Context(), sql, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			c.t.Fatal(err)
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	return values
}

func (c *callers) exec(sql string, args ...any) {
	c.t.Helper()
	if _, err := c.Store.Pool.Exec(c.t.Context(), sql, args...); err != nil {
		c.t.Fatal(err)
	}
}

// newClients makes clients whose accounts can be debited.
func (c *callers) newClients(n int, name string) []string {
	c.t.Helper()
	return created(atOnce(n, func(i int) handlertest.Answer {
		return c.API("POST", "/clients/", newClient(fmt.Sprintf("%s%d@example.com", name, i), i))
	}))
}

func newClient(email string, i int) map[string]any {
	return map[string]any{"email": email, "full_name": "Thandi Nkosi", "phone": "27821234567",
		"personal_code": "8501015009086",
		"bank_account":  fmt.Sprint(6200000001 + i), "bank_code": "470010"}
}

// stored makes a stored account for each client.
func (c *callers) stored(clients []string) []string {
	c.t.Helper()
	return created(atOnce(len(clients), func(i int) handlertest.Answer {
		return c.API("POST", "/purchases/",
			c.storing(clients[i]))
	}))
}

func (c *callers) storing(client string) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"payment_method_whitelist":["eft"],"force_recurring":true,
		"purchase":{"products":[{"name":"m","price":0}],"payment_method_details":{"direct_debit":{}}}}`, client, c.A.BrandID)
}

// bought makes a purchase for each client.
func (c *callers) bought(clients []string, more string) []string {
	c.t.Helper()
	return created(atOnce(len(clients), func(i int) handlertest.Answer {
		return c.API("POST", "/purchases/",
			c.buying(clients[i], more))
	}))
}

func (c *callers) buying(client, more string) string {
	return fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":10000}]}%s}`, client,
		c.A.BrandID, more)
}

func (c *callers) dueLater() string {
	return fmt.Sprintf(`,"due":%d`, c.Store.Now().Add(9*24*time.Hour).Unix())
}

// in opens sessions of a person.
func (c *callers) in(u user.User, n int) (all []handlertest.Person) {
	c.t.Helper()
	for range n {
		rec := httptest.NewRecorder()
		if err := c.Sessions.Start(echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/login", nil), rec),
			u); err != nil {
			c.t.Fatal(err)
		}
		cookie := rec.Result().Cookies()[0]
		all = append(all, handlertest.Person{User: u, Cookie: cookie.Name + "=" + cookie.Value})
	}
	return all
}

const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" +
	"\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"

// advance moves the clock.
func (c *callers) advance(by string) {
	c.t.Helper()
	c.Call("POST", "/sandbox/clock", `{"advance":"`+by+`"}`, "Authorization: Bearer "+c.A.Token,
		"Accept: application/json").Want(200)
}

// upload is a form with a file.
func upload(fields map[string]string, field, name, content string) (body []byte, contentType string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for name, value := range fields {
		_ = w.WriteField(name, value) // a buffer takes everything
	}
	part, _ := w.CreateFormFile(field, name)
	_, _ = part.Write([]byte(content))
	_ = w.Close()
	return out.Bytes(), "Content-Type: " + w.FormDataContentType()
}

// form is a form with a key of its own.
func form(pairs ...string) url.Values {
	f := url.Values{"form_key": {uuid.NewString()}}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f
}
