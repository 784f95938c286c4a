// Package files exchanges messages with a bank through the folders of a directory. What
// one bank wants differently stands in a profile there. The package must not know what is
// in a message, what becomes of an answer, or how files travel to the bank.
//
//	profile.json  how this bank wants it
//	outbox/       we lay messages out here; a courier or a person takes them
//	sent/         where they put what the bank has
//	inbox/        they lay the bank's answers out here
//	archive/      answers that were read, by year and month, under their hash and name
//	rejected/     what could not be read, with the reason beside it
//
// Nothing is ever deleted or overwritten.
package files
