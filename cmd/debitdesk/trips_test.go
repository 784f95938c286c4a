package main

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
	"debitdesk/models/storetest/plans"
)

// What does not depend on each other is asked of the database at once: a page waits for it a few times, however much it
// shows.
func TestPagesWaitForTheDatabaseAFewTimes(t *testing.T) {
	t.Parallel()
	env := demoOn(t, 26)
	l, err := plans.Listen(env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	env["DATABASE_URL"] = l.DSN()
	on := serving(t, env, "--no-workers")
	client, err := walk.SignIn(on.url, "admin@kloofstreet.example", demo.Password)
	if err != nil {
		t.Fatal(err)
	}
	for path, most := range map[string]int{"/attention": 8, "/account": 4, "/purchases": 7, "/purchases?q=van": 8,
		"/purchases/debits": 6, "/clients": 5, "/tokens": 6, "/mandates": 5, "/invoices": 8} {
		least := 1000 // something else may be asked meanwhile
		for n := range 6 {
			this := fmt.Sprint(path, n)
			l.Doing(this)
			res, err := client.Get(on.url + path)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
			l.Doing("")
			if res.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s", path, res.Status)
			}
			least = min(least, l.Trips(this))
		}
		t.Logf("%s: %d round trips", path, least)
		if least > most {
			t.Errorf("%s waits for the database %d times, and %d are enough", path, least, most)
		}
	}
}
