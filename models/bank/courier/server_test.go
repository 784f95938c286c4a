package courier

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// server is Debian's sshd, which knows nothing of our code. A process of its own serves each connection, and the
// test can break every one of them.
type server struct {
	*testing.T
	dir     string // of everything; its folders out and in are the bank's
	address string
	hostKey string // a line of known_hosts
	key     string // the file of the user's private key
	user    *user.User

	mu    sync.Mutex
	lines []*line
	limit int64 // bytes that a connection carries to the server before it is cut; 0: any number
}

// line is one connection.
type line struct {
	client net.Conn
	sshd   net.Conn
	deaf   bool // what the server says no longer arrives, and ends the connection
	bytes  int64
	mu     sync.Mutex
}

func (l *line) cut() {
	_ = l.client.Close()
	_ = l.sshd.Close()
}

// newServer makes keys and folders that are thrown away. As root, sshd runs as the user nobody.
func newServer(t *testing.T) *server {
	t.Helper()
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd"
	}
	if _, err := os.Stat(sshd); err != nil {
		t.Fatalf("no sshd (.make/need.sh sshd installs it): %v", err)
	}
	dir, err := os.MkdirTemp("", "courier")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &server{T: t, dir: dir}
	s.user, err = user.Current()
	must(t, err)
	if os.Getuid() == 0 {
		s.user, err = user.Lookup("nobody")
		must(t, err)
	}
	for _, name := range []string{"out", "in"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	_, host := s.newKey("host")
	s.hostKey = "bank.example " + host
	var public string
	s.key, public = s.newKey("user")
	s.write("authorized", public)
	s.configure("")
	s.give()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	s.address = listener.Addr().String()
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(sshd, client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		s.cutAll()
		serving.Wait()
	})
	return s
}

// configure writes what sshd reads for each connection. options are those of its file server, such as -P rename, which
// takes a request away from it.
func (s *server) configure(options string) {
	s.Helper()
	s.write("config", strings.Join([]string{"HostKey " + s.dir + "/host", "AuthorizedKeysFile " + s.dir + "/authorized",
		"StrictModes no", "UsePAM yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "PidFile none",
		"Subsystem sftp internal-sftp", "ForceCommand internal-sftp " + options, ""}, "\n"))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// give lets sshd's user read and write everything.
func (s *server) give() {
	s.Helper()
	if os.Getuid() != 0 {
		return
	}
	var uid, gid int
	_, err := fmt.Sscan(s.user.Uid+" "+s.user.Gid, &uid, &gid)
	must(s.T, err)
	must(s.T, filepath.Walk(s.dir, func(path string, _ os.FileInfo, err error) error {
		if err == nil {
			err = os.Chown(path, uid, gid)
		}
		return err
	}))
}

func (s *server) newKey(name string) (file, public string) {
	s.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	must(s.T, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	must(s.T, err)
	key, err := ssh.NewPublicKey(pub)
	must(s.T, err)
	return s.write(name, string(pem.EncodeToMemory(block))), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

func (s *server) write(name, content string) string {
	s.Helper()
	path := filepath.Join(s.dir, name)
	must(s.T, os.WriteFile(path, []byte(content), 0o600))
	s.give()
	return path
}

func (s *server) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	must(s.T, err)
	return string(text)
}

func (s *server) list(name string) (names []string) {
	s.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, name))
	must(s.T, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (s *server) serve(sshd string, client net.Conn) {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	process := exec.CommandContext(ctx, sshd, "-i", "-e", "-f", filepath.Join(s.dir, "config"))
	if os.Getuid() == 0 {
		var uid, gid uint32
		_, _ = fmt.Sscan(s.user.Uid+" "+s.user.Gid, &uid, &gid)
		process.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
	}
	ours, theirs, err := pair(ctx)
	if err == nil {
		process.Stdin, process.Stdout = theirs, theirs
		err = process.Start()
		_ = theirs.Close()
	}
	if err != nil {
		s.Error(err)
		return
	}
	l := &line{client: client, sshd: ours}
	s.mu.Lock()
	s.lines = append(s.lines, l)
	limit := s.limit
	s.mu.Unlock()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := client.Read(buffer)
			if l.bytes += int64(n); limit > 0 && l.bytes > limit {
				break
			}
			if _, failed := ours.Write(buffer[:n]); err != nil || failed != nil {
				break
			}
		}
		l.cut()
	}()
	buffer := make([]byte, 4096)
	for {
		n, err := ours.Read(buffer)
		l.mu.Lock()
		deaf := l.deaf
		l.mu.Unlock()
		if deaf {
			break
		}
		if _, failed := client.Write(buffer[:n]); err != nil || failed != nil {
			break
		}
	}
	l.cut()
	_ = process.Wait()
}

// pair is a connection on this machine: one end for us, the other for a process. sshd asks a name server about a
// caller who has no address.
func pair(ctx context.Context) (ours net.Conn, theirs *os.File, err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer listener.Close() //nolint:errcheck // one connection is all
	var dialer net.Dialer
	if ours, err = dialer.DialContext(ctx, "tcp", listener.Addr().String()); err != nil {
		return nil, nil, err
	}
	accepted, err := listener.Accept()
	if err != nil {
		return nil, nil, err
	}
	defer accepted.Close() //nolint:errcheck // the process has a copy
	theirs, err = accepted.(*net.TCPConn).File()
	return ours, theirs, err
}

// cutAll breaks every connection.
func (s *server) cutAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		l.cut()
	}
}

// mute lets the next request reach the server, and breaks the connection instead of the answer.
func (s *server) mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		l.mu.Lock()
		l.deaf = true
		l.mu.Unlock()
	}
}

// cutAfter has later connections break after so many bytes to the server; 0 lets them live.
func (s *server) cutAfter(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = bytes
}

// settings are those of a courier for this server.
func (s *server) settings() Settings {
	return Settings{Dir: filepath.Join(s.T.TempDir(), "exchange"), Address: s.address, HostKey: s.hostKey,
		User:    s.user.Username,
		KeyFile: s.key, Out: s.dir + "/out", In: s.dir + "/in", Patience: 10 * time.Second}
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
