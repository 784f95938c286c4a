// Package iso20022 writes and reads the messages that banks exchange: pain and camt.
// What a bank wants differently is a Dialect. The package must not know folders, SQL
// or what becomes of an answer.
package iso20022
