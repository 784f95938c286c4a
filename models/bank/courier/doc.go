// Package courier carries files between an exchange folder and a bank's SFTP server. The
// folders are the contract: it takes every whole file from outbox to the server and moves
// it to sent, and brings the server's answers into inbox. It reads no message.
//
// A file goes to the server under a temporary name and is renamed there when it is whole;
// nothing on the server is ever written over. When the connection breaks, the next round
// looks at what the server has: the same bytes under the final name count as delivered,
// and other bytes are for a person to look at.
//
// The server is known by its host key alone, which is a setting; a server with another key
// is given neither a signature nor a file.
//
// The package must not know messages, XML, the database or the rules.
package courier
