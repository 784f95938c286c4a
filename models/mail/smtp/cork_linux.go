package smtp

import (
	"net"
	"syscall"
)

// cork holds back what is written to a connection until it is taken off. What was
// written goes out even when the process is killed meanwhile.
func cork(conn net.Conn, on bool) {
	raw, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	value := 0
	if on {
		value = 1
	}
	if c, err := raw.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CORK,
				value)
		}) // it works without, too
	}
}
