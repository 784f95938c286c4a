//go:build !linux

package smtp

import "net"

// cork would hold back what is written to a connection; it is for Linux alone.
func cork(net.Conn, bool) {}
