// Package exchange is the common half of every bank that takes and gives messages
// instead of answering calls: what was handed over and waits, in which message it left,
// what came back, and what a person has to look at. It plays the bank port.
//
// An item is one instruction, refund, recall or mandate request. It is taken once, leaves
// in one message at a cut, and is answered by what arrives. A message is written down
// with its exact bytes before anybody outside can see it. What arrives is read into
// events, whatever its form; the same event twice changes nothing, in any order.
//
// Success is never silence alone: a debit counts as paid by silence only when the bank
// has acknowledged the message it was in. A message that nobody acknowledged, or that the
// bank refused as a whole, becomes a finding for a person, never a result that clients see.
//
// The package must not know files, folders or XML. Its SQL is in the files *_rows.go.
package exchange
