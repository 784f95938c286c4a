package post_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"debitdesk/models/webhook"
	"debitdesk/models/webhook/post"
)

const refused = "The address is not public, so it is not called."

// local is a receiver on this machine that counts calls, with its port.
func local(t *testing.T, answer http.HandlerFunc) (address, port string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return s.URL, port, calls
}

func call(c *post.Client, address string) webhook.Answer {
	return c.Post(context.Background(), address, []webhook.Header{{Name: "X-Signature", Value: "s"}}, []byte(`{}`))
}

func TestLiveModeCallsNoAddressThatIsNotPublic(t *testing.T) {
	_, port, calls := local(t, nil)
	live := post.New(false)
	for _, host := range []string{"127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.0.1",
		"100.64.0.1", "[fe80::1]", "[fd00::1]", "[64:ff9b::7f00:1]", "224.0.0.1", "localhost"} {
		if got := call(live, "http://"+host+":"+port+"/"); got.Error != refused || got.Status != 0 {
			t.Errorf("%s: %+v", host, got)
		}
	}
	// Other ways to write the same: some resolvers read them as numbers, others do not know them. None may arrive.
	for _, host := range []string{"2130706433", "0x7f000001", "0x7f.1", "127.1", "017700000001"} {
		if got := call(live, "http://"+host+":"+port+"/"); got.Error == "" || got.Status != 0 {
			t.Errorf("%s: %+v", host, got)
		}
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("%d calls arrived", n)
	}
}

func TestTheSandboxCallsThisMachineAndNoOtherPrivateOne(t *testing.T) {
	address, port, calls := local(t, nil)
	sandbox := post.New(true)
	for _, to := range []string{address, "http://localhost:" + port} {
		if got := call(sandbox, to); got.Status != http.StatusOK || got.Error != "" {
			t.Errorf("%s: %+v", to, got)
		}
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d calls", n)
	}
	for _, host := range []string{"169.254.169.254", "10.0.0.1", "192.168.0.1", "[fd00::1]"} {
		if got := call(sandbox, "http://"+host+":"+port+"/"); got.Error != refused {
			t.Errorf("%s: %+v", host, got)
		}
	}
}

func TestAProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxy, _, calls := local(t, nil)
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	if got := call(post.New(false), "http://10.0.0.1/"); got.Error != refused || calls.Load() != 0 {
		t.Errorf("%+v, %d calls of the proxy", got, calls.Load())
	}
}

func TestARedirectIsAnAnswer(t *testing.T) {
	address, _, calls := local(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusTemporaryRedirect)
	})
	if got := call(post.New(true), address); got.Status != http.StatusTemporaryRedirect || got.Error != "" ||
		calls.Load() != 1 {
		t.Errorf("%+v, %d calls", got, calls.Load())
	}
}

func TestOnlyTheBeginningOfAnAnswerIsKept(t *testing.T) {
	address, _, _ := local(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("a\x00\xff" + strings.Repeat("é", 1<<20)))
	})
	got := call(post.New(true), address)
	if got.Status != http.StatusOK || got.Error != "" || len(got.Text) > 2<<10+8 || !strings.HasPrefix(got.Text, "a�é") {
		t.Errorf("%d %q, %d bytes", got.Status, got.Error, len(got.Text))
	}
}

func TestACertificateOfNobodyIsRefused(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	t.Cleanup(s.Close)
	if got := call(post.New(true), s.URL); got.Error != "The certificate of the endpoint is not valid." {
		t.Errorf("%+v", got)
	}
}

func TestWhatStaysWithoutAnAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	_ = l.Close()
	for _, row := range []struct{ address, says string }{
		{address, "The connection failed."},
		{"http://does-not-exist.invalid/", "The host name could not be found."},
		{"http://[::1", "The address cannot be called."},
	} {
		if got := call(post.New(true), row.address); got.Error != row.says || got.Status != 0 {
			t.Errorf("%s: %+v", row.address, got)
		}
	}
}
